% The body computes the delay and has a condition for the due time; their order does not matter. a at 2, due at 5, where
% ready holds ([1,20)): a [3,6), c [6,inf).
initiatedAt(s=a, T) :- happensAt(go, T).
fi(s=a, s=c, R) :- holdsAt(ready=true, T), period(R), T > 0.
period(3).
collectIntervals(ready=true).
