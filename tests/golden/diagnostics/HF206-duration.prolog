initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
holdsFor(long(X)=true, I) :- holdsFor(on(X)=true, I1), intDurGreater(I1, Limit, I).
