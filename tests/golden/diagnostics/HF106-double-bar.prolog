initiatedAt(fast(V)=true, T) :- happensAt(speed(V,K), T), K > 5 || K < 2.
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
