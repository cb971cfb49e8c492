% a: on at 5, reported twice: one record; taken back once: nothing. b: on at 5, taken back at 7, reported again at 9:
% [6,inf). c: the retraction stands before the record, but arrives after it: nothing. d: on at 5, off at 10 taken back:
% [6,inf). in: [3,8) is taken back, [5,12) remains.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
collectIntervals(in(_)=true).
holdsFor(inside(X)=true, I) :- holdsFor(in(X)=true, I).
grounding(inside(X)=true) :- room(X).
room(hall).
