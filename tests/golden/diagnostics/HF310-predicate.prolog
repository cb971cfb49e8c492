initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T), lmap(X).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
lamp(l1).
