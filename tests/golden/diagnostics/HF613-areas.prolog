happensAt(docked(V), T) :- happensAt(position(V, La, Lo), T), in_area(La, Lo, port).
