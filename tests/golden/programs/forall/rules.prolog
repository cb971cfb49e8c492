% ready: every member of the crew is aboard. At 5 only ann ([3,inf)); at 10 ann and bob ([7,inf)): ready at 10.
% At 1 nobody is aboard: not ready.
initiatedAt(aboard(X)=true, T) :- happensAt(board(X), T).
terminatedAt(aboard(X)=true, T) :- happensAt(leave(X), T).
happensAt(ready, T) :- happensAt(ask, T), forall(crew(X), holdsAt(aboard(X)=true, T)).
happensAt(only_crew, T) :- happensAt(ask, T), forall(holdsAt(aboard(X)=true, T), crew(X)).
% only_crew: at 1, 5 and 10; at 20 zoe is aboard too.
crew(ann).
crew(bob).
