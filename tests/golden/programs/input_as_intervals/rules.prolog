% [3,6), [6,9) and [8,12) are one maximal interval, [3,12): it starts at 2 and ends at 11, once. [15,18) comes twice.
% Another value of the same fluent is another list. Unsorted input is no problem.
collectIntervals(moving(_)=_).
holdsFor(seen(X)=true, I) :- holdsFor(moving(X)=fast, I).
holdsFor(long(X)=true, I) :- holdsFor(moving(X)=fast, I1), intDurGreater(I1, 8, I).
happensAt(starts(X, V), T) :- happensAt(start(moving(X)=V), T).
happensAt(ends(X, V), T) :- happensAt(end(moving(X)=V), T).
% [3,12) is 9 long: longer than 8.
grounding(seen(X)=true) :- vessel(X).
grounding(long(X)=true) :- vessel(X).
vessel(v1).
