happensAt(e(X), T) :- happensAt(go(X), T), many(L), member(X, L).
many(L) :- numlist(1, 100000000, L).
