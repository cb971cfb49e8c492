initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
collectIntervals(lit(_)=true).
holdsFor(on(X)=true, I) :- holdsFor(lit(X)=true, I).
