happensAt(e(X, N), T) :- happensAt(share(X, D), T), N is 10 / D.
