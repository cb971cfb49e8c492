% Maritime situational awareness: activities of vessels, from the critical points of their tracks. Time-points are
% seconds, speeds are knots, angles are degrees.
%
% Thresholds, vessel types and kinds of areas are background knowledge: parameters.prolog has the general parameters,
% background.prolog (or background-brest.prolog, or a generated file) the vessels and areas of the data.

% -- where a vessel is ------------------------------------------------------------------------------------------------
% By kind of area, not by area. The fluent ends with a gap in communication.

initiatedAt(within_area(Vessel, Kind)=true, T) :-
    happensAt(entersArea(Vessel, Area), T),
    area_kind(Area, Kind).

terminatedAt(within_area(Vessel, Kind)=true, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    area_kind(Area, Kind).

terminatedAt(within_area(Vessel, _)=true, T) :-
    happensAt(gap_start(Vessel), T).

% -- silence, rest, slowness ------------------------------------------------------------------------------------------

initiatedAt(gap(Vessel)=near_port, T) :-
    happensAt(gap_start(Vessel), T),
    holdsAt(within_area(Vessel, port)=true, T).

initiatedAt(gap(Vessel)=open_sea, T) :-
    happensAt(gap_start(Vessel), T),
    not holdsAt(within_area(Vessel, port)=true, T).

terminatedAt(gap(Vessel)=_, T) :-
    happensAt(gap_end(Vessel), T).

initiatedAt(stopped(Vessel)=near_port, T) :-
    happensAt(stop_start(Vessel), T),
    holdsAt(within_area(Vessel, port)=true, T).

initiatedAt(stopped(Vessel)=open_sea, T) :-
    happensAt(stop_start(Vessel), T),
    not holdsAt(within_area(Vessel, port)=true, T).

terminatedAt(stopped(Vessel)=_, T) :-
    happensAt(stop_end(Vessel), T).

terminatedAt(stopped(Vessel)=_, T) :-
    happensAt(start(gap(Vessel)=_), T).

initiatedAt(low_speed(Vessel)=true, T) :-
    happensAt(slow_motion_start(Vessel), T).

terminatedAt(low_speed(Vessel)=true, T) :-
    happensAt(slow_motion_end(Vessel), T).

terminatedAt(low_speed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_), T).

initiatedAt(changing_speed(Vessel)=true, T) :-
    happensAt(change_in_speed_start(Vessel), T).

terminatedAt(changing_speed(Vessel)=true, T) :-
    happensAt(change_in_speed_end(Vessel), T).

terminatedAt(changing_speed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_), T).

% -- speed ------------------------------------------------------------------------------------------------------------
% The class of a speed depends on the type of the vessel: a slow speed for a ferry is fast for a dredger.

initiatedAt(speed_class(Vessel)=below, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    vessel_type(Vessel, Type),
    usual_speed(Type, Low, _),
    threshold(moving, Least),
    Speed >= Least,
    Speed < Low.

initiatedAt(speed_class(Vessel)=usual, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    vessel_type(Vessel, Type),
    usual_speed(Type, Low, High),
    Speed >= Low,
    Speed =< High.

initiatedAt(speed_class(Vessel)=above, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    vessel_type(Vessel, Type),
    usual_speed(Type, _, High),
    Speed > High.

terminatedAt(speed_class(Vessel)=_, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(moving, Least),
    Speed < Least.

terminatedAt(speed_class(Vessel)=_, T) :-
    happensAt(start(gap(Vessel)=_), T).

holdsFor(under_way(Vessel)=true, I) :-
    holdsFor(speed_class(Vessel)=below, Below),
    holdsFor(speed_class(Vessel)=usual, Usual),
    holdsFor(speed_class(Vessel)=above, Above),
    union_all([Below, Usual, Above], I).

% Too fast for the coast.

initiatedAt(speeding_near_coast(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(coast_speed, Most),
    Speed > Most,
    holdsAt(within_area(Vessel, coast)=true, T).

terminatedAt(speeding_near_coast(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(coast_speed, Most),
    Speed =< Most.

terminatedAt(speeding_near_coast(Vessel)=true, T) :-
    happensAt(end(within_area(Vessel, coast)=true), T).

% Drifting: under way in another direction than the heading. A heading of 511 means unknown and is ignored.

initiatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel, _, Course, Heading), T),
    Heading =\= 511,
    threshold(drift_angle, Most),
    min(abs(Course - Heading), 360 - abs(Course - Heading)) > Most,
    holdsAt(under_way(Vessel)=true, T).

terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel, _, Course, Heading), T),
    Heading =\= 511,
    threshold(drift_angle, Most),
    min(abs(Course - Heading), 360 - abs(Course - Heading)) =< Most.

terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(end(under_way(Vessel)=true), T).

% -- one vessel -------------------------------------------------------------------------------------------------------
% Lingering: stopped or almost stopped outside ports.

holdsFor(lingering(Vessel)=true, I) :-
    holdsFor(low_speed(Vessel)=true, Slow),
    holdsFor(stopped(Vessel)=open_sea, Stopped),
    union_all([Slow, Stopped], I).

holdsFor(anchored_or_moored(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=open_sea, Stopped),
    holdsFor(within_area(Vessel, anchorage)=true, Anchorage),
    intersect_all([Stopped, Anchorage], Anchored),
    holdsFor(stopped(Vessel)=near_port, Moored),
    union_all([Anchored, Moored], Resting),
    threshold(rest_time, Least),
    intDurGreater(Resting, Least, I).

holdsFor(loitering(Vessel)=true, I) :-
    holdsFor(lingering(Vessel)=true, Lingering),
    holdsFor(within_area(Vessel, coast)=true, Coast),
    holdsFor(within_area(Vessel, port)=true, Port),
    holdsFor(anchored_or_moored(Vessel)=true, Resting),
    relative_complement_all(Lingering, [Coast, Port, Resting], Idle),
    threshold(loitering_time, Least),
    intDurGreater(Idle, Least, I).

% -- two vessels ------------------------------------------------------------------------------------------------------
% Proximity is input. The activity of two close vessels depends on their types: tugging, pilotage, and, for two other
% vessels that linger side by side away from the coast, a rendezvous.

initiatedAt(towing_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(tow_slowest, Least),
    threshold(tow_fastest, Most),
    Speed >= Least,
    Speed =< Most.

terminatedAt(towing_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(tow_slowest, Least),
    Speed < Least.

terminatedAt(towing_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(tow_fastest, Most),
    Speed > Most.

terminatedAt(towing_speed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_), T).

holdsFor(tugging(V1, V2)=true, I) :-
    holdsFor(proximity(V1, V2)=true, Close),
    one_is(tug, V1, V2),
    not one_is(pilot, V1, V2),
    holdsFor(towing_speed(V1)=true, Speed1),
    holdsFor(towing_speed(V2)=true, Speed2),
    intersect_all([Close, Speed1, Speed2], Together),
    threshold(tow_time, Least),
    intDurGreater(Together, Least, I).

holdsFor(pilotage(V1, V2)=true, I) :-
    holdsFor(proximity(V1, V2)=true, Close),
    one_is(pilot, V1, V2),
    holdsFor(lingering(V1)=true, Lingering1),
    holdsFor(lingering(V2)=true, Lingering2),
    intersect_all([Close, Lingering1, Lingering2], Together),
    holdsFor(within_area(V1, coast)=true, Coast1),
    holdsFor(within_area(V2, coast)=true, Coast2),
    relative_complement_all(Together, [Coast1, Coast2], I).

holdsFor(rendezvous(V1, V2)=true, I) :-
    holdsFor(proximity(V1, V2)=true, Close),
    not one_is(tug, V1, V2),
    not one_is(pilot, V1, V2),
    holdsFor(lingering(V1)=true, Lingering1),
    holdsFor(lingering(V2)=true, Lingering2),
    intersect_all([Close, Lingering1, Lingering2], Together),
    holdsFor(within_area(V1, coast)=true, Coast1),
    holdsFor(within_area(V2, coast)=true, Coast2),
    holdsFor(within_area(V1, port)=true, Port1),
    holdsFor(within_area(V2, port)=true, Port2),
    relative_complement_all(Together, [Coast1, Coast2, Port1, Port2], Apart),
    threshold(rendezvous_time, Least),
    intDurGreater(Apart, Least, I).

% -- input and domains ------------------------------------------------------------------------------------------------

collectIntervals(proximity(_, _)=true).

dynamicDomain(vessel(_)).
dynamicDomain(pair(_, _)).

grounding(velocity(Vessel, _, _, _)) :- vessel(Vessel).
grounding(change_in_speed_start(Vessel)) :- vessel(Vessel).
grounding(change_in_speed_end(Vessel)) :- vessel(Vessel).
grounding(stop_start(Vessel)) :- vessel(Vessel).
grounding(stop_end(Vessel)) :- vessel(Vessel).
grounding(slow_motion_start(Vessel)) :- vessel(Vessel).
grounding(slow_motion_end(Vessel)) :- vessel(Vessel).
grounding(gap_start(Vessel)) :- vessel(Vessel).
grounding(gap_end(Vessel)) :- vessel(Vessel).
grounding(entersArea(Vessel, _)) :- vessel(Vessel).
grounding(leavesArea(Vessel, _)) :- vessel(Vessel).
grounding(proximity(V1, V2)=true) :- pair(V1, V2).

grounding(within_area(Vessel, Kind)=true) :- vessel(Vessel), kind_of_area(Kind).
grounding(gap(Vessel)=Place) :- vessel(Vessel), place(Place).
grounding(stopped(Vessel)=Place) :- vessel(Vessel), place(Place).
grounding(low_speed(Vessel)=true) :- vessel(Vessel).
grounding(changing_speed(Vessel)=true) :- vessel(Vessel).
grounding(speed_class(Vessel)=Class) :- vessel(Vessel), class_of_speed(Class).
grounding(under_way(Vessel)=true) :- vessel(Vessel).
grounding(speeding_near_coast(Vessel)=true) :- vessel(Vessel).
grounding(drifting(Vessel)=true) :- vessel(Vessel).
grounding(lingering(Vessel)=true) :- vessel(Vessel).
grounding(anchored_or_moored(Vessel)=true) :- vessel(Vessel).
grounding(loitering(Vessel)=true) :- vessel(Vessel).
grounding(towing_speed(Vessel)=true) :- vessel(Vessel).
grounding(tugging(V1, V2)=true) :- pair(V1, V2).
grounding(pilotage(V1, V2)=true) :- pair(V1, V2).
grounding(rendezvous(V1, V2)=true) :- pair(V1, V2).

index(velocity(Vessel, _, _, _), Vessel).
