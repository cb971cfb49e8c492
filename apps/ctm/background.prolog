% A stop is in time if the vehicle comes no later than planned and leaves as planned.
in_time(enter, early).
in_time(enter, scheduled).
in_time(leave, scheduled).

out_of_time(enter, late).
out_of_time(leave, early).
out_of_time(leave, late).

% Uncomfortable levels.
burden(noise, high).
burden(temperature, very_warm).
burden(temperature, very_cold).
burden(density, high).

quality(high).
quality(medium).
quality(low).
