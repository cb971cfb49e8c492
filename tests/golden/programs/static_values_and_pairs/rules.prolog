% x is at the pub [1,9), y [5,12), then at home [12,20); the pub is open [3,7). served: a value given by a variable: x [3,7),
% y [5,7). together: both at one place, each pair once: [5,9). elsewhere: not at the pub: y [12,20).
collectIntervals(location(_)=_).
collectIntervals(open(_)=true).
holdsFor(served(X)=P, I) :- holdsFor(location(X)=P, I1), holdsFor(open(P)=true, I2), intersect_all([I1, I2], I).
holdsFor(together(X, Y)=true, I) :-
    holdsFor(location(X)=P, I1), holdsFor(location(Y)=P, I2), X @< Y, intersect_all([I1, I2], I).
holdsFor(elsewhere(X)=true, I) :- holdsFor(location(X)=P, I1), \+ P = pub, union_all([I1], I).
grounding(served(X)=P) :- person(X), place(P).
grounding(together(X, Y)=true) :- person(X), person(Y).
grounding(elsewhere(X)=true) :- person(X).
person(x).
person(y).
place(pub).
place(home).
