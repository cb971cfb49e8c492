happensAt(parked(V), T) :- happensAt(stop(V, long), T).
happensAt(called(V), T) :- happensAt(call(V, 7), T).
