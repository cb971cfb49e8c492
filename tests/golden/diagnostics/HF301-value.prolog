initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
happensAt(alarm(X), T) :- happensAt(smoke(X), T), holdsAt(on(X)=yes, T).
