initially(light=red).
initially(light=green).
initiatedAt(light=C, T) :- happensAt(go(C), T).
