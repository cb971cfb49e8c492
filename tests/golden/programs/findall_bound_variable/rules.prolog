% As in Prolog, a variable that has its value already keeps it: x, who asks, is in; z, who asks, is not.
initiatedAt(in(X)=true, T) :- happensAt(enter(X), T).
terminatedAt(in(X)=true, T) :- happensAt(leave(X), T).
happensAt(who(X, L), T) :- happensAt(ask(X), T), findall(X, holdsAt(in(X)=true, T), L).
