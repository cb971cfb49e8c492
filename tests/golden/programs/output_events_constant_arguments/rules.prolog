% Events that differ in a constant argument are different events: seen by day at 3, by night at 8 (the night holds on
% [6,inf)). Only a sighting by night makes the guard nervous: [9,inf).
happensAt(seen(X, day), T) :- happensAt(pass(X), T), not holdsAt(night=true, T).
happensAt(seen(X, night), T) :- happensAt(pass(X), T), holdsAt(night=true, T).
initiatedAt(night=true, T) :- happensAt(sunset, T).
terminatedAt(night=true, T) :- happensAt(sunrise, T).
initiatedAt(nervous(guard)=true, T) :- happensAt(seen(_, night), T).
terminatedAt(nervous(guard)=true, T) :- happensAt(sunrise, T).
