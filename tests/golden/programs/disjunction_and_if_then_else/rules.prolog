% busy: by a call or a visit: initiated at 3 and 6. Paid by night (dark on [5,inf)) 20, by day 10: at 3 day, at 6 night.
% quiet: knocks at 4 (day: nobody calls), at 6 not (a visit at the same time-point).
initiatedAt(busy(X)=true, T) :- ( happensAt(call(X), T) ; happensAt(visit(X), T) ).
terminatedAt(busy(X)=true, T) :- happensAt(rest(X), T).
initiatedAt(dark=true, T) :- happensAt(sunset, T).
terminatedAt(dark=true, T) :- happensAt(sunrise, T).
happensAt(fee(X, F), T) :-
    ( happensAt(call(X), T) ; happensAt(visit(X), T) ),
    ( holdsAt(dark=true, T) -> F = 20 ; F = 10 ).
happensAt(quiet(X), T) :- happensAt(knock(X), T), \+ ( happensAt(call(X), T) ; happensAt(visit(X), T) ).
happensAt(size(X, S), T) :- happensAt(weigh(X, W), T), ( W > 50 -> S = big ; W > 10 -> S = middle ; S = small ).
% size: 60 is big, 20 middle, 5 small.
