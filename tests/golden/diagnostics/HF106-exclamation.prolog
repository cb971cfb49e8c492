initiatedAt(fast(V)=true, T) :- happensAt(speed(V,K), T), !heavy(V).
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
