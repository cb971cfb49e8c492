% The condition binds P for its own branch only. x asks at 1, when x is nowhere, and at 5, at the pub ([3,inf)).
initiatedAt(location(X)=P, T) :- happensAt(go_to(X, P), T).
happensAt(found(X, Q), T) :-
    happensAt(ask(X), T), ( holdsAt(location(X)=P, T) -> Q = P ; Q = nowhere ).
