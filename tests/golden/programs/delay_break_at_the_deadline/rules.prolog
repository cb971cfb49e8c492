% Broken exactly at the deadline is not strictly before it: the effect takes place.
% a: v at 2, terminated at 7 = 2+5: w at 7: v [3,8), w [8,inf).
% b: v at 2, broken at 7 by the value x: w and x at once: neither holds: v [3,8).
% c: v at 2, terminated at 6: cancelled: v [3,7).
% d: v at 2 and again exactly at 7, not postponable: v and w at once at 7: v [3,8), neither holds. The initiation of v at
% 7 is one, though it takes no effect, and v is not broken strictly between 7 and 12: w at 12: [13,inf).
initiatedAt(f(X)=v, T) :- happensAt(begin(X), T).
terminatedAt(f(X)=v, T) :- happensAt(cease(X), T).
initiatedAt(f(X)=x, T) :- happensAt(change(X), T).
fi(f(X)=v, f(X)=w, 5).
