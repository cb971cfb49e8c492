happensAt(e(X), T) :- happensAt(go(X), T), X > 3.
happensAt(lost, T) :- happensAt(go(a), T).
