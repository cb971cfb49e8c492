happensAt(e(X), T) :- happensAt(f(X), T).
happensAt(f(X), T) :- happensAt(e(X), T).
