% The shorter delay has a condition that does not hold when it is due (at 5): it does not act, the longer one does, at 7:
% a [3,8), b [8,inf). With the condition (x on [12,20)), go at 13: c at 16: b [8,14), a [14,17), c [17,inf).
initiatedAt(s=a, T) :- happensAt(go, T).
fi(s=a, s=c, 3) :- holdsAt(x=true, T).
fi(s=a, s=b, 5).
collectIntervals(x=true).
