% A hit bounces only when armed, and a bounce disarms, at the next time-point. Armed at 2 ([3,...)), hit at 2 (not yet
% armed), at 5 (bounces, disarms: [3,6)), at 6 (not armed). Armed at 8, hit at 9 and 10: bounces at 9 only: [9,10).
initiatedAt(armed(X)=true, T) :- happensAt(arm(X), T).
terminatedAt(armed(X)=true, T) :- happensAt(bounce(X), T).
happensAt(bounce(X), T) :- happensAt(hit(X), T), holdsAt(armed(X)=true, T).
