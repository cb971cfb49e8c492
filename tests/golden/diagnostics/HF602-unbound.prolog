happensAt(e(X, N), T) :- happensAt(go(X), T), twice(X, N).
twice(_, N) :- N is 2 * M, M > 0.
