% Nothing lets the light be red, but turning green breaks red all the same: warned from 4 on.
initiatedAt(warned=true, T) :- terminatedAt(light=red, T).
initiatedAt(light=green, T) :- happensAt(go, T).
