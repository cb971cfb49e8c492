holdFor(fast(V)=true, I) :- holdsFor(speeding(V)=true, I).
