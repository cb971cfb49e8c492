% The complement begins at the first time-point of the run, for each member of the grounding. ann is busy on [5,10):
% free [0,5) and [10,inf). bob is never busy: [0,inf). cat is no person: nothing.
collectIntervals(busy(_)=true).
holdsFor(free(X)=true, I) :- holdsFor(busy(X)=true, I1), complement_all([I1], I).
grounding(busy(X)=true) :- person(X).
grounding(free(X)=true) :- person(X).
person(ann).
person(bob).
