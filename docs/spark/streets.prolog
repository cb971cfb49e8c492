initiatedAt(speeding(V)=true, T) :- happensAt(speed(V, Kmh, _), T), Kmh > 50.
terminatedAt(speeding(V)=true, T) :- happensAt(speed(V, Kmh, _), T), Kmh =< 50.
initiatedAt(on(V)=Street, T) :- happensAt(speed(V, _, Street), T).
holdsFor(reckless(V)=true, I) :-
    holdsFor(speeding(V)=true, I1),
    intDurGreater(I1, 120, I).
holdsFor(endangers(V)=harbour, I) :-
    holdsFor(speeding(V)=true, I1),
    holdsFor(on(V)='Harbour Street', I2),
    intersect_all([I1, I2], I).
