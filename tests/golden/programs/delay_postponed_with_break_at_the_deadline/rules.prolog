% Postponable. a: v at 2, re-initiated and terminated at 7, the deadline: the re-initiation postpones (w not at 7), the
% termination ends v: [3,8). v is broken at 7, not strictly between 7 and 12: w at 12: [13,inf).
% b: v at 2, re-initiated at 5 and terminated at 5: v [3,6); broken strictly between 2 and 7; from 5 on, w at 10: [11,inf).
initiatedAt(f(X)=v, T) :- happensAt(begin(X), T).
terminatedAt(f(X)=v, T) :- happensAt(cease(X), T).
fi(f(X)=v, f(X)=w, 5).
p(f(_)=v).
