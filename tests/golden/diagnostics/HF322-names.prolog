happensAt(fast(V), T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
happensAt(parked(V), T) :- happensAt(stop(V, Kind), T), Kind = long.
