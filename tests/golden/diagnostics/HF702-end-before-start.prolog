happensAt(e(X), T) :- happensAt(go(X), T).
