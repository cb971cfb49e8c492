% X is bound outside: the count is per room. At 10: ann and bob in r1, cat in r2.
initiatedAt(in(X)=R, T) :- happensAt(enter(X, R), T).
happensAt(full(R), T) :-
    happensAt(check(R), T), aggregate_all(count, holdsAt(in(_)=R, T), N), room(R, Size), N >= Size.
room(r1, 2).
room(r2, 2).
% r1 has 2 of 2: full at 10. r2 has 1 of 2: not at 10; dan comes at 12: full at 15.
