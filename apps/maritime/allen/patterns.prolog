% Maritime patterns that need Allen's relations, in addition to ../rules.prolog.
%
% One event ends the stay in an area and begins a gap, so the intervals touch: they meet.

% -- going silent -----------------------------------------------------------------------------------------------------

% Silent since the vessel was in an area of this kind.
holdsFor(disappeared_in_area(Vessel, Kind)=true, I) :-
    holdsFor(within_area(Vessel, Kind)=true, Within),
    holdsFor(gap(Vessel)=open_sea, Gap),
    allen(meets, Within, Gap, target, I).

% Silent between two stays in areas of one kind.
holdsFor(silent_visit(Vessel, Kind)=true, I) :-
    holdsFor(within_area(Vessel, Kind)=true, Within),
    holdsFor(gap(Vessel)=open_sea, Gap),
    allen(meets, Within, Gap, target, Silent),
    allen(meets, Silent, Within, source, I).

% One of two close vessels falls silent, and sends again before they separate.
holdsFor(suspicious_rendezvous(V1, V2)=true, I) :-
    holdsFor(gap(V1)=open_sea, Gap1),
    holdsFor(gap(V2)=open_sea, Gap2),
    holdsFor(proximity(V1, V2)=true, Close),
    union_all([Gap1, Gap2], Gap),
    allen(during, Gap, Close, target, I).

% Both vessels were silent from before their proximity until after it.
holdsFor(met_in_silence(V1, V2)=true, I) :-
    holdsFor(gap(V1)=open_sea, Gap1),
    holdsFor(gap(V2)=open_sea, Gap2),
    holdsFor(proximity(V1, V2)=true, Close),
    intersect_all([Gap1, Gap2], Gap),
    allen(contains, Gap, Close, target, I).

% The silence after a rendezvous, at any distance in time.
holdsFor(silent_after_rendezvous(V1, V2)=true, I) :-
    holdsFor(rendezvous(V1, V2)=true, Rendezvous),
    holdsFor(gap(V1)=open_sea, Gap),
    allen(before, Rendezvous, Gap, target, I).

% -- arriving and leaving ---------------------------------------------------------------------------------------------

% Slow before the port and in it: the part in the port.
holdsFor(slow_arrival(Vessel)=true, I) :-
    holdsFor(low_speed(Vessel)=true, Slow),
    holdsFor(within_area(Vessel, port)=true, Port),
    allen(overlaps, Slow, Port, intersect, I).

% Under way into a port, but slower only in it: the way there.
holdsFor(straight_to_port(Vessel)=true, I) :-
    holdsFor(under_way(Vessel)=true, Way),
    holdsFor(within_area(Vessel, port)=true, Port),
    allen(overlaps, Way, Port, complement, I).

% Off the coast again, and still too fast.
holdsFor(rushed_out(Vessel)=true, I) :-
    holdsFor(speeding_near_coast(Vessel)=true, Speeding),
    holdsFor(within_area(Vessel, coast)=true, Coast),
    allen(finishes, Speeding, Coast, source, I).

% Too fast near the coast for a while, and slower again before leaving it.
holdsFor(warned_near_coast(Vessel)=true, I) :-
    holdsFor(speeding_near_coast(Vessel)=true, Speeding),
    holdsFor(within_area(Vessel, coast)=true, Coast),
    allen(contains, Coast, Speeding, source, I).

% The stops at sea of a vessel that went to a port later.
holdsFor(waiting_for_port(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=open_sea, Stopped),
    holdsFor(within_area(Vessel, port)=true, Port),
    allen(before, Stopped, Port, source, I).

% -- under way --------------------------------------------------------------------------------------------------------

% Drifting until the vessel is no longer under way.
holdsFor(drifted_to_rest(Vessel)=true, I) :-
    holdsFor(drifting(Vessel)=true, Drifting),
    holdsFor(under_way(Vessel)=true, Way),
    allen(finishes, Drifting, Way, source, I).

% Drifting, and then on course again.
holdsFor(recovered_drift(Vessel)=true, I) :-
    holdsFor(drifting(Vessel)=true, Drifting),
    holdsFor(under_way(Vessel)=true, Way),
    allen(during, Drifting, Way, source, I).

% Slow as soon as under way, and faster afterwards.
holdsFor(slow_departure(Vessel)=true, I) :-
    holdsFor(speed_class(Vessel)=below, Below),
    holdsFor(under_way(Vessel)=true, Way),
    allen(starts, Below, Way, source, I).

% At the usual speed during the whole time under way.
holdsFor(steady_passage(Vessel)=true, I) :-
    holdsFor(speed_class(Vessel)=usual, Usual),
    holdsFor(under_way(Vessel)=true, Way),
    allen(equal, Usual, Way, source, I).

% -- two vessels ------------------------------------------------------------------------------------------------------

% Another vessel came alongside while the vessel was anchored or moored, and left again.
holdsFor(visited_at_rest(V1, V2)=true, I) :-
    holdsFor(proximity(V1, V2)=true, Close),
    holdsFor(anchored_or_moored(V1)=true, Rest),
    allen(during, Close, Rest, source, I).

% First one vessel lingers, then both, then the other alone: a handover, while both linger.
holdsFor(handover(V1, V2)=true, I) :-
    holdsFor(proximity(V1, V2)=true, Close),
    holdsFor(lingering(V1)=true, Lingering1),
    holdsFor(lingering(V2)=true, Lingering2),
    allen(overlaps, Lingering1, Lingering2, intersect, Both),
    intersect_all([Both, Close], I).

% -- domains ----------------------------------------------------------------------------------------------------------

grounding(disappeared_in_area(Vessel, Kind)=true) :- vessel(Vessel), kind_of_area(Kind).
grounding(silent_visit(Vessel, Kind)=true) :- vessel(Vessel), kind_of_area(Kind).
grounding(suspicious_rendezvous(V1, V2)=true) :- pair(V1, V2).
grounding(met_in_silence(V1, V2)=true) :- pair(V1, V2).
grounding(silent_after_rendezvous(V1, V2)=true) :- pair(V1, V2).
grounding(slow_arrival(Vessel)=true) :- vessel(Vessel).
grounding(straight_to_port(Vessel)=true) :- vessel(Vessel).
grounding(rushed_out(Vessel)=true) :- vessel(Vessel).
grounding(warned_near_coast(Vessel)=true) :- vessel(Vessel).
grounding(waiting_for_port(Vessel)=true) :- vessel(Vessel).
grounding(drifted_to_rest(Vessel)=true) :- vessel(Vessel).
grounding(recovered_drift(Vessel)=true) :- vessel(Vessel).
grounding(slow_departure(Vessel)=true) :- vessel(Vessel).
grounding(steady_passage(Vessel)=true) :- vessel(Vessel).
grounding(visited_at_rest(V1, V2)=true) :- pair(V1, V2).
grounding(handover(V1, V2)=true) :- pair(V1, V2).
