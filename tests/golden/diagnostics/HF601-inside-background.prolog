happensAt(e(X), T) :- happensAt(go(X), T), good(X).
good(X) :- likes(X, Y), nic(Y).
likes(a, b).
nice(b).
