initiatedAt(on(X), T) :- happensAt(switch_on(X), T).
