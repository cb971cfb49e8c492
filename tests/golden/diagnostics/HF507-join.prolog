happensAt(halt(V), T) :-
    happensAt(stop(V), T),
    happensAt(speed(V, 0), T).
