% Ports come from an input fluent and from the second argument of an event. p1 is seen at 4 and p2 at 25 only: both are
% quiet from 0 on. crowded p1 [4,9): quiet [0,4) [9,inf). p2: quiet [0,inf). v1 is a vessel, not a port.
dynamicDomain(port(_)).
collectIntervals(crowded(_)=true).
grounding(crowded(P)=true) :- port(P).
grounding(call_at(_, P)) :- port(P).
grounding(quiet(P)=true) :- port(P).
holdsFor(quiet(P)=true, I) :- holdsFor(crowded(P)=true, I1), complement_all([I1], I).
initiatedAt(visited(P)=true, T) :- happensAt(call_at(_, P), T).
