% The second condition shares only the time-point with the first. Tests and negations keep their places.
initiatedAt(s(X)=true, T) :- happensAt(on(X), T).
terminatedAt(s(X)=true, T) :- happensAt(off(X), T).
initiatedAt(near(A,B)=true, T) :- happensAt(meet(A,B), T).
terminatedAt(near(A,B)=true, T) :- happensAt(part(A,B), T).
initiatedAt(pair(A,B)=true, T) :-
    happensAt(start(s(A)=true), T), holdsAt(s(B)=true, T), holdsAt(near(A,B)=true, T), A @< B, holdsAt(s(_)=true, T).
terminatedAt(pair(A,B)=true, T) :-
    kind(A, K), holdsAt(near(A,B)=true, T), not holdsAt(s(B)=true, T), happensAt(end(s(A)=true), T), size(K, N), N > 1.
happensAt(both(A,B), T) :- holdsAt(near(A,B)=true, T), happensAt(on(B), T), happensAt(ring, T).
kind(a, big). kind(b, small). kind(c, big).
size(big, 3). size(small, 1).
