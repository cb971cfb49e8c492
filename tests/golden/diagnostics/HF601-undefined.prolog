happensAt(e(X), T) :- happensAt(go(X), T), friend_of(X, Y), nice(Y).
friendof(a, b).
nice(b).
