% The tests, the cut and the empty clause only save work. ann: at sea [3,9), slow [5,12): [5,9). bob is never slow:
% nothing. The union has tests that are not needed for a union of one list.
collectIntervals(at_sea(_)=true).
collectIntervals(slow(_)=true).
holdsFor(drifting(X)=true, I) :-
    holdsFor(at_sea(X)=true, I1), \+ I1=[],
    holdsFor(slow(X)=true, I2), I2 \= [],
    !,
    intersect_all([I1, I2], I).
holdsFor(drifting(_)=true, []).
holdsFor(afloat(X)=true, I) :-
    holdsFor(at_sea(X)=true, I1), not(I1=[]), union_all([I1], I), I \== [].
