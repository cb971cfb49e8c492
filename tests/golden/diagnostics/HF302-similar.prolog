initiatedAt(fast(V)=true, T) :- happensAt(speed(V,K), T), K > 50.
terminatedAt(fast(V)=true, T) :- happensAt(sped(V,K), T), K =< 50.
