initiatedAt(occupied(Taxi)=true, T) :- happensAt(position(Taxi, 1), T).
terminatedAt(occupied(Taxi)=true, T) :- happensAt(position(Taxi, 0), T).
holdsFor(trip(Taxi)=true, I) :- holdsFor(occupied(Taxi)=true, J), intDurGreater(J, 2*minutes, I).
