% A job on Spark knows the key of the event, but not that of the alarm.
initiatedAt(alarm(Any)=true, T) :- happensAt(loud(Place), T), near(Place, Any).
terminatedAt(alarm(Any)=true, T) :- happensAt(quiet(Place), T), near(Place, Any).
initiatedAt(noisy(Place)=true, T) :- happensAt(loud(Place), T).
terminatedAt(noisy(Place)=true, T) :- happensAt(quiet(Place), T).
grounding(alarm(Any)=true) :- near(_, Any).
near(X, Y) :- next(X, Y).
near(X, Y) :- next(X, Z), near(Z, Y).
next(a, b).
