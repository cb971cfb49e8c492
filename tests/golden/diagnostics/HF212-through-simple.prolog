initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
holdsFor(lit(X)=true, I) :- holdsFor(on(X)=true, I).
terminatedAt(on(X)=true, T) :- happensAt(look(X), T), holdsAt(lit(X)=true, T).
