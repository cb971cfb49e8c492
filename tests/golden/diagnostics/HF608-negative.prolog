initiatedAt(on(X)=true, T) :- happensAt(go(X), T).
ft(on(X)=true, R) :- period(X, P), R is P - 5.
period(a, 3).
