% The number of rounds of a game, and the length of a turn and of a challenge in time-points.
rounds(3).
time_of_turn(10).
time_to_justify(15).

player(proponent).
player(opponent).

adversaries(proponent, opponent).
adversaries(opponent, proponent).

burden(open).
burden(met).
burden(failed).
