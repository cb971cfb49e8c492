% 3 and 3.0 are different constants: level 3 [3,6), broken at 5 by 3.0: [6,9), broken at 8 by the code 003, an atom:
% [9,12), broken at 11 by 1.50, the number 1.5: [12,15), broken at 14 by 1e5, the number 100000.0: [15,inf).
% They compare equal in arithmetic: three at 2 and 5. Only 3 itself is called exactly: at 2. -5 is a number.
initiatedAt(level(X)=V, T) :- happensAt(reading(X, V), T).
happensAt(three(X), T) :- happensAt(reading(X, V), T), number(V), V =:= 3.
happensAt(exactly(X), T) :- happensAt(reading(X, 3), T).
happensAt(code(X), T) :- happensAt(reading(X, '003'), T).
happensAt(negative(X), T) :- happensAt(change(X, D), T), D < 0.
