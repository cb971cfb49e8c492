initiatedAt(on(X), T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T0).
holdsFor(lit(X)=true, I) :- holdsFor(on(X)=true, J).
