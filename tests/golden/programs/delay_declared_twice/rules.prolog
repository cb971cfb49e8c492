% The same effect after the same time, under two conditions: it acts when either is satisfied. y holds at 7, x does not.
initiatedAt(f=a, T) :- happensAt(go, T).
fi(f=a, f=b, 5) :- holdsAt(x=true, T).
fi(f=a, f=b, 5) :- holdsAt(y=true, T).
collectIntervals(x=true).
collectIntervals(y=true).
