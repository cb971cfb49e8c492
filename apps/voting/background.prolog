% Every tenth agent is a chair.
chair(Agent) :- Agent mod 10 =:= 0.

% Time limits in time-points: for a motion to be seconded, for its ballot to be closed, for its result to be declared.
time_limit(second, 5).
time_limit(close_ballot, 5).
time_limit(declare, 3).

% The shortest time of an open ballot, and the duration of a sanction.
time_to_vote(3).
sanction_time(8).

status(null).
status(proposed).
status(voting).
status(voted).

choice(aye).
choice(nay).

result(carried).
result(not_carried).

ballot_age(young).
ballot_age(mature).

truth(true).
truth(false).
