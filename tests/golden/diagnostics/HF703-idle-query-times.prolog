happensAt(recent(X), T) :- happensAt(seen(X), T), queryTime(Q), T > Q - 5.
