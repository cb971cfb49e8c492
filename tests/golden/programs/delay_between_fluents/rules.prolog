% Different fluents: an alarm turns the light red 5 later. a: alarm at 2: red at 7: [8,inf), the alarm goes on: [3,inf).
% b: alarm at 2, stopped at 4: cancelled: no red. c: alarm at 2 and 6, not postponable: red at 7. The light is green
% before ([2,8)) for c: red breaks it.
initiatedAt(alarm(X)=true, T) :- happensAt(smoke(X), T).
terminatedAt(alarm(X)=true, T) :- happensAt(stop(X), T).
initiatedAt(light(X)=green, T) :- happensAt(test(X), T).
fi(alarm(X)=true, light(X)=red, 5).
