initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
initiatedAt(bright(X)=true, T) :- holdsAt(on(X)=true, T).
terminatedAt(bright(X)=true, T) :- not happensAt(switch_on(X), T).
