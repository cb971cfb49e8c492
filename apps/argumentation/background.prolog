% How many rounds a game has, and how long a turn and a challenge last, in time-points.
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
