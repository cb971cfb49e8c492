% City transport management: quality of driving of buses and trams, and comfort of drivers and passengers.
%
% A vehicle is written `Id, Type`, because ids are unique only within a type. background.prolog defines punctual stops,
% and the uncomfortable levels of noise, temperature and passenger density.

% -- punctuality ------------------------------------------------------------------------------------------------------
% A vehicle is punctual until its first late stop, and again from its next stop in time. non_punctual is the complement
% of punctual, over all vehicles.

initially(punctuality(_, _)=punctual).

initiatedAt(punctuality(Id, Type)=punctual, T) :-
    happensAt(stop_enter(Id, Type, _, When), T),
    in_time(enter, When).

initiatedAt(punctuality(Id, Type)=punctual, T) :-
    happensAt(stop_leave(Id, Type, _, When), T),
    in_time(leave, When).

terminatedAt(punctuality(Id, Type)=punctual, T) :-
    happensAt(stop_enter(Id, Type, _, When), T),
    out_of_time(enter, When).

terminatedAt(punctuality(Id, Type)=punctual, T) :-
    happensAt(stop_leave(Id, Type, _, When), T),
    out_of_time(leave, When).

holdsFor(punctuality(Id, Type)=non_punctual, I) :-
    holdsFor(punctuality(Id, Type)=punctual, Punctual),
    complement_all([Punctual], I).

% Output event: the punctuality of a vehicle changes. The initial value is a state, not a change.
happensAt(punctuality_change(Id, Type, Value), T) :-
    happensAt(start(punctuality(Id, Type)=Value), T).

% -- driving ----------------------------------------------------------------------------------------------------------
% Very abrupt or very sharp manoeuvres are unsafe. Milder ones are uncomfortable, unless the style is unsafe at the same
% time.

holdsFor(driving_style(Id, Type)=unsafe, I) :-
    holdsFor(abrupt_acceleration(Id, Type)=very_abrupt, Acceleration),
    holdsFor(abrupt_deceleration(Id, Type)=very_abrupt, Deceleration),
    holdsFor(sharp_turn(Id, Type)=very_sharp, Turn),
    union_all([Acceleration, Deceleration, Turn], I).

holdsFor(driving_style(Id, Type)=uncomfortable, I) :-
    holdsFor(abrupt_acceleration(Id, Type)=abrupt, Acceleration),
    holdsFor(abrupt_deceleration(Id, Type)=abrupt, Deceleration),
    holdsFor(sharp_turn(Id, Type)=sharp, Turn),
    union_all([Acceleration, Deceleration, Turn], Jerky),
    holdsFor(driving_style(Id, Type)=unsafe, Unsafe),
    relative_complement_all(Jerky, [Unsafe], I).

% At every time-point the quality is exactly one of high, medium and low.

holdsFor(driving_quality(Id, Type)=high, I) :-
    holdsFor(punctuality(Id, Type)=punctual, Punctual),
    holdsFor(driving_style(Id, Type)=unsafe, Unsafe),
    holdsFor(driving_style(Id, Type)=uncomfortable, Uncomfortable),
    relative_complement_all(Punctual, [Unsafe, Uncomfortable], I).

holdsFor(driving_quality(Id, Type)=medium, I) :-
    holdsFor(punctuality(Id, Type)=punctual, Punctual),
    holdsFor(driving_style(Id, Type)=uncomfortable, Uncomfortable),
    intersect_all([Punctual, Uncomfortable], I).

holdsFor(driving_quality(Id, Type)=low, I) :-
    holdsFor(punctuality(Id, Type)=non_punctual, NonPunctual),
    holdsFor(driving_style(Id, Type)=unsafe, Unsafe),
    union_all([NonPunctual, Unsafe], I).

% -- the air inside ---------------------------------------------------------------------------------------------------
% A level lasts until the next report. Only uncomfortable levels have a grounding: the other levels are not reported, but
% they end an uncomfortable one.

initiatedAt(noise_level(Id, Type)=Level, T) :-
    happensAt(noise_level_change(Id, Type, Level), T).

initiatedAt(temperature(Id, Type)=Level, T) :-
    happensAt(internal_temperature_change(Id, Type, Level), T).

initiatedAt(passenger_density(Id, Type)=Level, T) :-
    happensAt(passenger_density_change(Id, Type, Level), T).

% -- comfort and satisfaction -----------------------------------------------------------------------------------------
% Passenger density affects only passengers, because the driver has a seat.

holdsFor(driver_comfort(Id, Type)=reduced, I) :-
    holdsFor(driving_style(Id, Type)=unsafe, Unsafe),
    holdsFor(driving_style(Id, Type)=uncomfortable, Uncomfortable),
    holdsFor(noise_level(Id, Type)=high, Noisy),
    holdsFor(temperature(Id, Type)=very_warm, Hot),
    holdsFor(temperature(Id, Type)=very_cold, Freezing),
    union_all([Unsafe, Uncomfortable, Noisy, Hot, Freezing], I).

holdsFor(passenger_comfort(Id, Type)=reduced, I) :-
    holdsFor(driver_comfort(Id, Type)=reduced, Shared),
    holdsFor(passenger_density(Id, Type)=high, Crowded),
    union_all([Shared, Crowded], I).

holdsFor(passenger_satisfaction(Id, Type)=reduced, I) :-
    holdsFor(passenger_comfort(Id, Type)=reduced, Uncomfortable),
    holdsFor(punctuality(Id, Type)=non_punctual, Unpunctual),
    union_all([Uncomfortable, Unpunctual], I).

% -- input and domains ------------------------------------------------------------------------------------------------

collectIntervals(abrupt_acceleration(_, _)=abrupt).
collectIntervals(abrupt_acceleration(_, _)=very_abrupt).
collectIntervals(abrupt_deceleration(_, _)=abrupt).
collectIntervals(abrupt_deceleration(_, _)=very_abrupt).
collectIntervals(sharp_turn(_, _)=sharp).
collectIntervals(sharp_turn(_, _)=very_sharp).

% All vehicles in records are members of the domain.
dynamicDomain(vehicle(_, _)).

grounding(stop_enter(Id, Type, _, _)) :- vehicle(Id, Type).
grounding(stop_leave(Id, Type, _, _)) :- vehicle(Id, Type).
grounding(noise_level_change(Id, Type, _)) :- vehicle(Id, Type).
grounding(internal_temperature_change(Id, Type, _)) :- vehicle(Id, Type).
grounding(passenger_density_change(Id, Type, _)) :- vehicle(Id, Type).
grounding(abrupt_acceleration(Id, Type)=_) :- vehicle(Id, Type).
grounding(abrupt_deceleration(Id, Type)=_) :- vehicle(Id, Type).
grounding(sharp_turn(Id, Type)=_) :- vehicle(Id, Type).

grounding(punctuality(Id, Type)=punctual) :- vehicle(Id, Type).
grounding(punctuality(Id, Type)=non_punctual) :- vehicle(Id, Type).
grounding(punctuality_change(Id, Type, _)) :- vehicle(Id, Type).
grounding(driving_style(Id, Type)=unsafe) :- vehicle(Id, Type).
grounding(driving_style(Id, Type)=uncomfortable) :- vehicle(Id, Type).
grounding(driving_quality(Id, Type)=Quality) :- vehicle(Id, Type), quality(Quality).
grounding(noise_level(Id, Type)=Level) :- vehicle(Id, Type), burden(noise, Level).
grounding(temperature(Id, Type)=Level) :- vehicle(Id, Type), burden(temperature, Level).
grounding(passenger_density(Id, Type)=Level) :- vehicle(Id, Type), burden(density, Level).
grounding(driver_comfort(Id, Type)=reduced) :- vehicle(Id, Type).
grounding(passenger_comfort(Id, Type)=reduced) :- vehicle(Id, Type).
grounding(passenger_satisfaction(Id, Type)=reduced) :- vehicle(Id, Type).

index(stop_enter(Id, _, _, _), Id).
index(stop_leave(Id, _, _, _), Id).
