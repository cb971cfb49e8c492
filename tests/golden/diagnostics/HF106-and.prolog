initiatedAt(fast(V)=true, T) :- happensAt(speed(V,K), T), K > 5 and K < 9.
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
