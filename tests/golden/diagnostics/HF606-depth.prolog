happensAt(e(X), T) :- happensAt(go(X), T), down(X).
down(X) :- down(X), X = a.
