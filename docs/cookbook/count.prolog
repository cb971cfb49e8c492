initiatedAt(failed(User, T)=true, T) :- happensAt(login_failed(User), T).
ft(failed(_, _)=true, 600).
happensAt(third_failure(User), T) :-
    happensAt(login_failed(User), T),
    aggregate_all(count, holdsAt(failed(User, _)=true, T), N), N >= 2.
