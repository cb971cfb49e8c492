initiatedAt(speeding(Vehicle)=true, T) :- happensAt(speed(Vehicle, Kmh), T), Kmh > 50.
terminatedAt(speeding(Vehicle)=true, T) :- happensAt(speed(Vehicle, Kmh), T), Kmh =< 50.
holdsFor(reckless(Vehicle)=true, I) :- holdsFor(speeding(Vehicle)=true, I1), intDurGreater(I1, 120, I).
