% Y stands only under the negation: there is no Y. alone: X enters when nobody is inside: ann at 2 (nobody), not bob at 5
% (ann inside), cat at 9 (ann left at 7, bob at 8).
% first: X enters and nobody else enters at that time-point: at 2, 5 and 9, not at 12 (dan and eve).
initiatedAt(inside(X)=true, T) :- happensAt(enter(X), T).
terminatedAt(inside(X)=true, T) :- happensAt(leave(X), T).
happensAt(alone(X), T) :- happensAt(enter(X), T), not holdsAt(inside(_)=true, T).
happensAt(single(X), T) :- happensAt(enter(X), T), \+ (happensAt(enter(Y), T), Y \= X).
happensAt(meets_nobody(X), T) :- happensAt(look(X), T), not (holdsAt(inside(Y)=true, T), friend(X, Y)).
% meets_nobody: zoe looks at 4 (ann inside, her friend) and at 10 (cat inside, no friend): 10.
friend(zoe, ann).
friend(zoe, bob).
