initiatedAt(fast(V)=true, T) :- happensAt(speed(V,K), T), K > 50.
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
holdsFor(reckless(V)=true, I) :- holdsFor(fast(V)=true, J), intDurGreaterThan(J, 120, I).
