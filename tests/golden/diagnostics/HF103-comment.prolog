initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
/* what follows is not needed
initiatedAt(old(X)=true, T) :- happensAt(go(X), T).
