% The variable under the negation stands nowhere else: it is quantified there, inside a branch as well.
% x asks at 3, when nobody is in: quiet; at 7 z is in ([6,inf)): not quiet. A knock at 8 is enough.
happensAt(quiet(X), T) :-
    ( happensAt(ask(X), T), not holdsAt(in(_)=true, T) ; happensAt(knock(X), T) ).
initiatedAt(in(X)=true, T) :- happensAt(enter(X), T).
terminatedAt(in(X)=true, T) :- happensAt(leave(X), T).
