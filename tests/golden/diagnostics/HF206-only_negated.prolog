initiatedAt(quiet(X)=true, T) :- happensAt(see(X), T), \+ N > 3.
initiatedAt(loud(X)=true, T) :- happensAt(see(X), T), forall(level(L), L < Most).
terminatedAt(quiet(X)=true, T) :- happensAt(leave(X), T).
terminatedAt(loud(X)=true, T) :- happensAt(leave(X), T).
level(3).
