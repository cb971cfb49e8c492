% A counter: 0 at first, then 1 from 2, 2 from 4, 3 from 6 on. Values that no input and no background mentions are values:
% many (2 and more): [4,6) and [6,inf), so [4,inf). Counted at all: [0,inf).
initially(counter(x)=0).
initiatedAt(counter(X)=N, T) :- happensAt(inc(X), T), holdsAt(counter(X)=M, T), N is M+1.
holdsFor(many(X)=true, I) :- holdsFor(counter(X)=N, I), N >= 2.
holdsFor(counted(X)=true, I) :- holdsFor(counter(X)=_, I).
happensAt(reached(X, N), T) :- happensAt(start(counter(X)=N), T).
grounding(many(X)=true) :- thing(X).
grounding(counted(X)=true) :- thing(X).
thing(x).
