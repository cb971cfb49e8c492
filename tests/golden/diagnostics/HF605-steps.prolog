happensAt(e(X), T) :- happensAt(go(X), T), forever(X).
forever(X) :- forever(X).
