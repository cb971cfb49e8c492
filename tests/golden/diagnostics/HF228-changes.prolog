initiatedAt(seen(X)=true, T) :- happensAt(see(X), T), note(X).
terminatedAt(seen(X)=true, T) :- happensAt(leave(X), T).
note(X) :- remember(X).
remember(X) :- assertz(known(X)).
