happensAt(double(X, D), T) :- happensAt(count(X), T), D is 2 * N.
