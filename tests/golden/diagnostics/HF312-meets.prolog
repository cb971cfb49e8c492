initiatedAt(stopped(V)=true, T) :- happensAt(stop_start(V), T).
terminatedAt(stopped(V)=true, T) :- happensAt(stop_end(V), T).
initiatedAt(moving(V)=true, T) :- happensAt(endI(stopped(V)=true), T).
terminatedAt(moving(V)=true, T) :- happensAt(start(stopped(V)=true), T).
holdsFor(left(V)=true, I) :-
    holdsFor(stopped(V)=true, Stopped),
    holdsFor(moving(V)=true, Moving),
    meets(Stopped, Moving, target, I).
