initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
happensAt(n(N), T) :- happensAt(look, T), aggregate_all(cout, holdsAt(on(_)=true, T), N).
