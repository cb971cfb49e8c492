% The entities are named: vessels come from hail and from speed, not from whistle. v1 is hailed at 20: unknown, so silent,
% from 0 to 20. v2 has a speed at 7: silent [0,inf). v3 only whistles: it is no vessel.
collectGrounds([hail(V), speed(V)=_], vessel(V)).
points(speed(_)=_).
grounding(silent(V)=true) :- vessel(V).
initially(silent(V)=true) :- vessel(V).
terminatedAt(silent(V)=true, T) :- happensAt(hail(V), T).
terminatedAt(silent(V)=true, T) :- happensAt(whistle(V), T).
initiatedAt(moving(V)=true, T) :- happensAt(hail(V), T), holdsAt(speed(V)=_, T).
