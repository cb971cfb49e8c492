% a turns to b after 3; c is initiated by a tick while b holds and turns f back to a. go at 1: a [2,5) (b at 4), b from 5.
% tick at 4: b does not hold yet ([5,...)). tick at 6: c [7,9) (ends by delay at 8), f: a at 6: b [5,7), a [7,...), b again
% at 9: a [7,10), b [10,inf).
initiatedAt(f=a, T) :- happensAt(go, T).
initiatedAt(f=a, T) :- happensAt(start(c=true), T).
initiatedAt(c=true, T) :- happensAt(tick, T), holdsAt(f=b, T).
fi(f=a, f=b, 3).
ft(c=true, 2).
