% w is initiated by the delay at 7 and terminated at 7: the break wins, w does not start; but its initiation breaks v: [3,8).
initiatedAt(f=v, T) :- happensAt(go, T).
terminatedAt(f=w, T) :- happensAt(stop, T).
fi(f=v, f=w, 5).
