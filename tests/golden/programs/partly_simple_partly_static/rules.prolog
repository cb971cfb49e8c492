% state=working is simple: [4,9) and [15,inf). state=idle is computed: the complement: [0,4) [9,15).
% A rule may ask for either: calls at 6 (working) and 12 (idle). It starts to idle at 8 (for [9,15)); [0,4) starts before
% the run.
initiatedAt(state(X)=working, T) :- happensAt(begin(X), T).
terminatedAt(state(X)=working, T) :- happensAt(finish(X), T).
holdsFor(state(X)=idle, I) :- holdsFor(state(X)=working, I1), complement_all([I1], I).
happensAt(answer(X, S), T) :- happensAt(call(X), T), holdsAt(state(X)=S, T).
happensAt(starts(X, S), T) :- happensAt(start(state(X)=S), T).
grounding(state(X)=working) :- person(X).
grounding(state(X)=idle) :- person(X).
person(ann).
