initiatedAt(far(V)=true, T) :- happensAt(move(V, X, Y), T), sqroot(X**2 + Y**2) > limit.
terminatedAt(far(V)=true, T) :- happensAt(move(V, X, Y), T), D is max(X, Y, 3), D < 2*minute.
near(X) :- X < 4*hour + abs(pie).
