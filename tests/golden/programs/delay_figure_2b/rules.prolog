% Figure 2(b) of the delayed-effects paper, R = 10, postponable.
% (ii) v at 2, 4, 7: w moves to 17: v [3,18), w [18,inf). (iii) terminated at 9: cancelled: v [3,10).
% (iv) v at 2 and 6: w moves from 12 to 16; terminated at 14: cancelled: v [3,15), no w.
initiatedAt(f(X)=v, T) :- happensAt(begin(X), T).
terminatedAt(f(X)=v, T) :- happensAt(cease(X), T).
fi(f(X)=v, f(X)=w, 10).
p(f(_)=v).
