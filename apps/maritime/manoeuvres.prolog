% Activities recognised by manoeuvres: trawling, and search and rescue. In both, a vessel turns repeatedly. The activity
% continues from one turn to the next, and ends some time after the last turn: a delayed effect that the next turn
% postpones. Use together with rules.prolog and parameters.prolog.

% -- trawling ---------------------------------------------------------------------------------------------------------
% A fishing vessel in fishing grounds, at trawling speed, with repeated turns.

initiatedAt(trawling_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(trawl_slowest, Least),
    threshold(trawl_fastest, Most),
    Speed >= Least,
    Speed =< Most,
    holdsAt(within_area(Vessel, fishing)=true, T).

terminatedAt(trawling_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(trawl_slowest, Least),
    Speed < Least.

terminatedAt(trawling_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(trawl_fastest, Most),
    Speed > Most.

terminatedAt(trawling_speed(Vessel)=true, T) :-
    happensAt(end(within_area(Vessel, fishing)=true), T).

initiatedAt(trawling_movement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vessel_type(Vessel, fishing),
    holdsAt(within_area(Vessel, fishing)=true, T).

terminatedAt(trawling_movement(Vessel)=true, T) :-
    happensAt(end(within_area(Vessel, fishing)=true), T).

ft(trawling_movement(_)=true, Time) :-
    threshold(turn_interval, Time).

p(trawling_movement(_)=true).

holdsFor(trawling(Vessel)=true, I) :-
    holdsFor(trawling_speed(Vessel)=true, Speed),
    holdsFor(trawling_movement(Vessel)=true, Movement),
    intersect_all([Speed, Movement], Both),
    threshold(trawling_time, Least),
    intDurGreater(Both, Least, I).

% -- search and rescue ------------------------------------------------------------------------------------------------
% A rescue vessel, faster than on patrol, with repeated changes of course or speed.

initiatedAt(rescue_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    vessel_type(Vessel, rescue),
    threshold(rescue_slowest, Least),
    Speed >= Least.

terminatedAt(rescue_speed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed, _, _), T),
    threshold(rescue_slowest, Least),
    Speed < Least.

terminatedAt(rescue_speed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_), T).

initiatedAt(rescue_movement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vessel_type(Vessel, rescue).

initiatedAt(rescue_movement(Vessel)=true, T) :-
    happensAt(start(changing_speed(Vessel)=true), T),
    vessel_type(Vessel, rescue).

terminatedAt(rescue_movement(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_), T).

ft(rescue_movement(_)=true, Time) :-
    threshold(search_interval, Time).

p(rescue_movement(_)=true).

holdsFor(search_and_rescue(Vessel)=true, I) :-
    holdsFor(rescue_speed(Vessel)=true, Speed),
    holdsFor(rescue_movement(Vessel)=true, Movement),
    intersect_all([Speed, Movement], Both),
    threshold(search_time, Least),
    intDurGreater(Both, Least, I).

% -- input and domains ------------------------------------------------------------------------------------------------

grounding(change_in_heading(Vessel)) :- vessel(Vessel).

grounding(trawling_speed(Vessel)=true) :- vessel(Vessel).
grounding(trawling_movement(Vessel)=true) :- vessel(Vessel).
grounding(trawling(Vessel)=true) :- vessel(Vessel).
grounding(rescue_speed(Vessel)=true) :- vessel(Vessel).
grounding(rescue_movement(Vessel)=true) :- vessel(Vessel).
grounding(search_and_rescue(Vessel)=true) :- vessel(Vessel).

% Knots and seconds.
threshold(trawl_slowest, 1).
threshold(trawl_fastest, 9).
threshold(turn_interval, 600).
threshold(trawling_time, 3600).
threshold(rescue_slowest, 2.7).
threshold(search_interval, 1800).
threshold(search_time, 3600).
