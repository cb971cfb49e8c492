% speed 12 at 5 is above 10 knots; |350-10| folded by the circle is 20 degrees, less than 30; 7 mod 3 is 1.
% distance: sqrt(3*3+4*4) = 5.0. The time-point is a number too: T mod 2 is 0 at 6 and 8, 1 at 5.
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), limit(L), S > L.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), limit(L), S =< L.
happensAt(aligned(V), T) :-
    happensAt(heading(V, H, C), T), D is abs(H - C), A is min(D, 360 - D), A < 30.
happensAt(rest(V, R), T) :- happensAt(number(V, N), T), R is N mod 3.
happensAt(distance(V, D), T) :- happensAt(moved(V, X, Y), T), D is sqrt(X*X + Y*Y).
happensAt(rounded(V, F, C), T) :- happensAt(measured(V, M), T), F is floor(M), C is max(F, 3).
happensAt(even(V), T) :- happensAt(speed(V, _), T), 0 =:= T mod 2.
happensAt(odd(V), T) :- happensAt(speed(V, _), T), T mod 2 =\= 0.
limit(10).
