initiatedAt(door(X)=open, T) :- happensAt(unlock(X), T).
terminatedAt(door(_)=_, T) :- happensAt(alarm, T).
initiatedAt(light=on, T) :- happensAt(dusk, T).
ft(light=on, 5) :- not terminatedAt(door(back)=open, T).
