initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
happensAt(n(L), T) :- happensAt(look, T), setof(X, holdsAt(on(X)=true, T), L).
