initiatedAt(on(X)=true, T) :- happensAt(E, T), of(E, X).
of(a, b).
