% Vessels come from the input. v9 is first seen at 20, and belongs to the domain for the whole run: moored from 0, the
% first time-point, until it leaves at 20: [0,21); at sea, the complement: [21,inf). v1 leaves at 3: [0,4), [4,inf).
dynamicDomain(vessel(_)).
grounding(leave(V)) :- vessel(V).
grounding(moored(V)=true) :- vessel(V).
grounding(at_sea(V)=true) :- vessel(V).
initially(moored(_)=true).
terminatedAt(moored(V)=true, T) :- happensAt(leave(V), T).
holdsFor(at_sea(V)=true, I) :- holdsFor(moored(V)=true, I1), complement_all([I1], I).
