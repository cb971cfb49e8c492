% maxDuration is the older name of fi, maxDurationUE of fi with p. a: v at 2 and 4, R = 5: w at 7. u at 2 and 4: postponed
% to 9: f=v [3,8), f=w [8,inf); g=v [3,10), g=w [10,inf).
initiatedAt(f(X)=v, T) :- happensAt(go(X), T).
initiatedAt(g(X)=v, T) :- happensAt(go(X), T).
maxDuration(f(X)=v, f(X)=w, 5).
maxDurationUE(g(X)=v, g(X)=w, 5).
