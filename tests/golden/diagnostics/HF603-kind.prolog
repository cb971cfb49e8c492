happensAt(e(X, N), T) :- happensAt(go(X), T), length(X, N).
