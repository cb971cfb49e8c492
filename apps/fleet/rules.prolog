% Fleet management: how the vehicles of a fleet are driven, from their GPS receivers, accelerometers and fuel sensors.
% Time-points are seconds, speeds are km/h, amounts of fuel are litres.
%
% Thresholds are in parameters.prolog. The type, the speed limit and the tank of each vehicle are background knowledge:
% background.prolog, or a generated file.

% -- speed ------------------------------------------------------------------------------------------------------------
% Each position of a moving vehicle has a speed. A vehicle that does not move stands with its engine on, or is parked.

initiatedAt(over_speeding(Vehicle)=true, T) :-
    happensAt(moving(Vehicle, Speed), T),
    speed_limit(Vehicle, Limit),
    Speed > Limit.

terminatedAt(over_speeding(Vehicle)=true, T) :-
    happensAt(moving(Vehicle, Speed), T),
    speed_limit(Vehicle, Limit),
    Speed =< Limit.

terminatedAt(over_speeding(Vehicle)=true, T) :-
    happensAt(standing(Vehicle), T).

terminatedAt(over_speeding(Vehicle)=true, T) :-
    happensAt(parked(Vehicle), T).

% -- danger -----------------------------------------------------------------------------------------------------------
% An abrupt manoeuvre, or ice on the road, is dangerous while the vehicle is too fast. The drive stays dangerous until
% the vehicle halts.

initiatedAt(dangerous_driving(Vehicle)=true, T) :-
    happensAt(abrupt_acceleration(Vehicle), T),
    holdsAt(over_speeding(Vehicle)=true, T).

initiatedAt(dangerous_driving(Vehicle)=true, T) :-
    happensAt(abrupt_braking(Vehicle), T),
    holdsAt(over_speeding(Vehicle)=true, T).

initiatedAt(dangerous_driving(Vehicle)=true, T) :-
    happensAt(abrupt_cornering(Vehicle), T),
    holdsAt(over_speeding(Vehicle)=true, T).

initiatedAt(dangerous_driving(Vehicle)=true, T) :-
    happensAt(ice_on_road(Vehicle), T),
    holdsAt(over_speeding(Vehicle)=true, T).

terminatedAt(dangerous_driving(Vehicle)=true, T) :-
    happensAt(standing(Vehicle), T).

terminatedAt(dangerous_driving(Vehicle)=true, T) :-
    happensAt(parked(Vehicle), T).

% -- fuel -------------------------------------------------------------------------------------------------------------
% Speeding is uneconomic when fuel is short, that is below a share of the tank.

initiatedAt(uneconomic_driving(Vehicle)=true, T) :-
    happensAt(fuel_level(Vehicle, Litres), T),
    short(Vehicle, Litres),
    holdsAt(over_speeding(Vehicle)=true, T).

terminatedAt(uneconomic_driving(Vehicle)=true, T) :-
    happensAt(fuel_level(Vehicle, Litres), T),
    enough(Vehicle, Litres),
    not holdsAt(over_speeding(Vehicle)=true, T).

terminatedAt(uneconomic_driving(Vehicle)=true, T) :-
    happensAt(standing(Vehicle), T).

terminatedAt(uneconomic_driving(Vehicle)=true, T) :-
    happensAt(parked(Vehicle), T).

% A filling station is an opportunity to refuel, until the tank is full enough.

initiatedAt(refuel_opportunity(Vehicle)=true, T) :-
    happensAt(near_station(Vehicle), T),
    holdsAt(uneconomic_driving(Vehicle)=true, T).

initiatedAt(refuel_opportunity(Vehicle)=true, T) :-
    happensAt(near_station(Vehicle), T),
    happensAt(fuel_level(Vehicle, Litres), T),
    short(Vehicle, Litres),
    holdsAt(over_speeding(Vehicle)=true, T).

terminatedAt(refuel_opportunity(Vehicle)=true, T) :-
    happensAt(fuel_level(Vehicle, Litres), T),
    enough(Vehicle, Litres).

% -- idling -----------------------------------------------------------------------------------------------------------
% A vehicle idles if it stands with its engine on for too long. Vehicles that need their engine at a halt, for cooling or
% mixing, have no idling time.

initiatedAt(engine_on_at_halt(Vehicle)=true, T) :-
    happensAt(standing(Vehicle), T).

terminatedAt(engine_on_at_halt(Vehicle)=true, T) :-
    happensAt(moving(Vehicle, _), T).

terminatedAt(engine_on_at_halt(Vehicle)=true, T) :-
    happensAt(parked(Vehicle), T).

holdsFor(idling(Vehicle)=true, I) :-
    holdsFor(engine_on_at_halt(Vehicle)=true, Standing),
    vehicle_type(Vehicle, Type),
    idling_time(Type, Least),
    intDurGreater(Standing, Least, I).

% -- declarations -----------------------------------------------------------------------------------------------------

% All vehicles in records are members of the domain.
dynamicDomain(vehicle(_)).

grounding(moving(Vehicle, _)) :- vehicle(Vehicle).
grounding(standing(Vehicle)) :- vehicle(Vehicle).
grounding(parked(Vehicle)) :- vehicle(Vehicle).
grounding(fuel_level(Vehicle, _)) :- vehicle(Vehicle).
grounding(near_station(Vehicle)) :- vehicle(Vehicle).
grounding(ice_on_road(Vehicle)) :- vehicle(Vehicle).
grounding(abrupt_acceleration(Vehicle)) :- vehicle(Vehicle).
grounding(abrupt_braking(Vehicle)) :- vehicle(Vehicle).
grounding(abrupt_cornering(Vehicle)) :- vehicle(Vehicle).

grounding(over_speeding(Vehicle)=true) :- vehicle(Vehicle).
grounding(dangerous_driving(Vehicle)=true) :- vehicle(Vehicle).
grounding(uneconomic_driving(Vehicle)=true) :- vehicle(Vehicle).
grounding(refuel_opportunity(Vehicle)=true) :- vehicle(Vehicle).
grounding(engine_on_at_halt(Vehicle)=true) :- vehicle(Vehicle).
grounding(idling(Vehicle)=true) :- vehicle(Vehicle).
