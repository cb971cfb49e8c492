initiatedAt(seen(X)=true, T) :- happensAt(see(X), T), G = assertz(known(X)), call(G).
terminatedAt(seen(X)=true, T) :- happensAt(leave(X), T).
