initiatedAt(within_area(V)=true, T) :- happensAt(enter(V), T).
terminatedAt(within_area(V)=true, T) :- happensAt(gap_start(V), T).
initiatedAt(gap(V)=true, T) :- happensAt(gap_start(V), T).
terminatedAt(gap(V)=true, T) :- happensAt(gap_end(V), T).
holdsFor(disappeared(V)=true, I) :-
    holdsFor(within_area(V)=true, Within),
    holdsFor(gap(V)=true, Gap),
    before(Within, Gap, target, I).
holdsFor(back(V)=true, I) :-
    holdsFor(within_area(V)=true, Within),
    holdsFor(gap(V)=true, Gap),
    before(Gap, Within, target, I).
