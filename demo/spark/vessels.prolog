% Vessels near a harbour. A record is position(Vessel, Lat, Lon, Knots): the place of a vessel and its speed.

initiatedAt(motion(V)=stopped, T) :- happensAt(position(V, _, _, Knots), T), Knots < 0.5.
initiatedAt(motion(V)=slow, T) :- happensAt(position(V, _, _, Knots), T), Knots >= 0.5, Knots =< 10.
initiatedAt(motion(V)=fast, T) :- happensAt(position(V, _, _, Knots), T), Knots > 10.

initiatedAt(in_harbour(V)=true, T) :-
    happensAt(position(V, Lat, Lon, _), T), distance(Lat, Lon, 37.94, 23.60, M), M =< 4000.
terminatedAt(in_harbour(V)=true, T) :-
    happensAt(position(V, Lat, Lon, _), T), distance(Lat, Lon, 37.94, 23.60, M), M > 4000.

holdsFor(speeding(V)=true, I) :-
    holdsFor(motion(V)=fast, Fast),
    holdsFor(in_harbour(V)=true, Harbour),
    intersect_all([Fast, Harbour], I).

holdsFor(waiting(V)=true, I) :-
    holdsFor(motion(V)=stopped, Stopped),
    holdsFor(in_harbour(V)=true, Harbour),
    relative_complement_all(Stopped, [Harbour], Outside),
    intDurGreater(Outside, 15*minutes, I).

% Two vessels meet if they stop in the same cell of about a kilometre. The rules above are computed by vessel, the last one
% by cell.

initiatedAt(cell(V)=Cell, T) :-
    happensAt(position(V, Lat, Lon, _), T), Cell is round(Lat * 100) * 10000 + round(Lon * 100).

holdsFor(stopped_in(Cell, V)=true, I) :-
    holdsFor(cell(V)=Cell, There),
    holdsFor(motion(V)=stopped, Stopped),
    intersect_all([There, Stopped], I).

holdsFor(meeting(Cell, V1, V2)=true, I) :-
    holdsFor(stopped_in(Cell, V1)=true, I1),
    holdsFor(stopped_in(Cell, V2)=true, I2),
    V1 @< V2,
    intersect_all([I1, I2], I).

:- output([speeding, waiting, meeting]).
