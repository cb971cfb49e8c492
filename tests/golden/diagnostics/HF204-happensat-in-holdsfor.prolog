initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
holdsFor(lit(X)=true, I) :- happensAt(switch_on(X), T), holdsFor(on(X)=true, I).
