happensAt(meet(V), T) :- happensAt(stop(V, Kind), T), Kind = long, happensAt(call(V), T).
