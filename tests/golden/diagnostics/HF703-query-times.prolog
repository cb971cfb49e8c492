happensAt(e(X, Q), T) :- happensAt(go(X), T), queryTime(Q).
