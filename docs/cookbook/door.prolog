happensAt(opened_at_night(Door), T) :-
    happensAt(opens(Door), T),
    hour_of_day(T, Hour),
    (Hour < 6 ; Hour >= 22).
