% Parameters for all waters: thresholds, and the usual speed for each type of vessel.

% Speeds in knots.
threshold(moving, 0.5).
threshold(coast_speed, 5).
threshold(tow_slowest, 1.2).
threshold(tow_fastest, 15).
% Between course and heading, in degrees.
threshold(drift_angle, 40).
% Durations in seconds.
threshold(rest_time, 1800).
threshold(loitering_time, 1800).
threshold(tow_time, 300).
threshold(rendezvous_time, 240).

% usual_speed(Type, Low, High): the usual speed of a vessel of this type under way.
usual_speed(cargo, 9, 16).
usual_speed(tanker, 8, 15).
usual_speed(passenger, 10, 25).
usual_speed(fishing, 4, 12).
usual_speed(tug, 3, 12).
usual_speed(pilot, 8, 26).
usual_speed(pleasure, 4, 14).
usual_speed(sailing, 3, 9).
usual_speed(dredger, 3, 11).
usual_speed(rescue, 8, 28).
usual_speed(military, 9, 25).
usual_speed(other, 5, 15).

kind_of_area(coast).
kind_of_area(port).
kind_of_area(anchorage).
kind_of_area(protected).
kind_of_area(fishing).

place(near_port).
place(open_sea).

class_of_speed(below).
class_of_speed(usual).
class_of_speed(above).

% Whether one of two vessels is of a type.
one_is(Type, Vessel, _) :- vessel_type(Vessel, Type).
one_is(Type, _, Vessel) :- vessel_type(Vessel, Type).
