initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T), X = Y = Z.
