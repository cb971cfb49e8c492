happensAt(e(X), T) :- happensAt(go(X), T), X > 3.
happensAt(f(X), T) :- happensAt(go(X), T).
