% c and b are initiated at 2, so f(b) (from c) and f(a) (from b) are due at 7. Nothing initiates c at 7: f(b) acts. That is
% a re-initiation of b exactly when its own effect is due, so f(a) moves to 12: [13,inf).
initiatedAt(f(X)=on, T) :- happensAt(go(X), T).
fi(f(X)=on, f(Y)=on, 5) :- passes_to(X, Y).
p(f(_)=on).
passes_to(c, b).
passes_to(b, a).
