% Time-points are 0, 5, 10, ... Initiated at 10, broken at 25: [15,30). start at 10 and end at 25.
% Points 10 and 15 hold on [10,20); it starts at 5 and ends at 15. Input [30,40) starts at 25, ends at 35.
% Delay of 10: set up at 40, due at 50: busy [45,55).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
points(warm(_)=true).
collectIntervals(open(_)=true).
initiatedAt(busy(X)=true, T) :- happensAt(work(X), T).
ft(busy(_)=true, 10).
happensAt(starts(X, on), T) :- happensAt(start(on(X)=true), T).
happensAt(starts(X, warm), T) :- happensAt(start(warm(X)=true), T).
happensAt(starts(X, open), T) :- happensAt(start(open(X)=true), T).
happensAt(ends(X, on), T) :- happensAt(end(on(X)=true), T).
happensAt(ends(X, warm), T) :- happensAt(end(warm(X)=true), T).
happensAt(ends(X, open), T) :- happensAt(end(open(X)=true), T).
