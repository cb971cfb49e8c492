% A predicate over intervals may compute a number, which the rule compares: the oven was hot for 3 + 2 = 5 in all, the
% stove for 3: only the oven was hot for more than 4. The rule gives the whole list: [1,4) [5,7).
collectIntervals(hot(_)=true).
holdsFor(well_done(X)=true, I) :- holdsFor(hot(X)=true, I), total(I, N), N > 4.
total([], 0).
total([(S, E)|More], N) :- total(More, M), N is M + E - S.
grounding(well_done(X)=true) :- device(X).
device(oven).
device(stove).
