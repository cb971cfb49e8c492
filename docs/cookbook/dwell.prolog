initiatedAt(in(Truck)=Zone, T) :- happensAt(enters(Truck, Zone), T).
terminatedAt(in(Truck)=Zone, T) :- happensAt(leaves(Truck, Zone), T).
holdsFor(dwells(Truck)=Zone, I) :-
    holdsFor(in(Truck)=Zone, Inside),
    intDurGreater(Inside, 60, I).
