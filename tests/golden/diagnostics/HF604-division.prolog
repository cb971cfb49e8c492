happensAt(e(X, N), T) :- happensAt(share(X, D), T), parts(X, P), N is D / P.
parts(a, 0).
