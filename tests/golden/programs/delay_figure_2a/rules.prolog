% Figure 2(a) of the delayed-effects paper, R = 10, not postponable.
% (ii) v at 2, 4, 7: w at 12: v [3,13), w [13,inf); the later ones are cancelled.
% (iii) v at 2 and 5, terminated at 9, before 12 and 15: both cancelled: v [3,10), no w.
% (iv) v at 2 and 6, terminated at 14, between 12 and 16: w at 12: v [3,13), w [13,inf). The termination of v at 14 does
% not touch w.
initiatedAt(f(X)=v, T) :- happensAt(begin(X), T).
terminatedAt(f(X)=v, T) :- happensAt(cease(X), T).
fi(f(X)=v, f(X)=w, 10).
