% Frames of a video, 40 apart. active at 80, 120 and 160: [80,200). It starts at 40, ends at 160. Initiated at 80 and
% broken at 200: [120,240). meets: [80,240) and [240,280), the second begins where the first ends.
points(active(_)=true).
initiatedAt(seen(P)=true, T) :- happensAt(appear(P), T).
terminatedAt(seen(P)=true, T) :- happensAt(disappear(P), T).
collectIntervals(first(_)=true).
collectIntervals(second(_)=true).
holdsFor(handover(P)=true, I) :-
    holdsFor(first(P)=true, I1), holdsFor(second(P)=true, I2), allen(meets, I1, I2, union, I).
happensAt(starts(P), T) :- happensAt(start(active(P)=true), T).
happensAt(ends(P), T) :- happensAt(end(active(P)=true), T).
grounding(handover(P)=true) :- person(P).
person(p1).
