% Parameters for all vehicles.

% Fuel is short below this share of the tank.
share_of_tank(0.5).

short(Vehicle, Litres) :-
    tank(Vehicle, Size),
    share_of_tank(Share),
    Litres < Share * Size.

enough(Vehicle, Litres) :-
    tank(Vehicle, Size),
    share_of_tank(Share),
    Litres >= Share * Size.

% A vehicle of this type idles if it stands with its engine on for more than this number of seconds.
idling_time(car, 180).
idling_time(van, 180).
idling_time(truck, 300).
idling_time(bus, 600).
