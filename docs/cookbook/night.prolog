happensAt(nightfall, 22).
initiatedAt(sky=night, T) :- happensAt(nightfall, T).
fi(sky=night, sky=day, 8).
fi(sky=day, sky=night, 16).
initiatedAt(runs(Pump)=true, T) :- happensAt(starts(Pump), T).
terminatedAt(runs(Pump)=true, T) :- happensAt(stops(Pump), T).
holdsFor(night_run(Pump)=true, I) :-
    holdsFor(runs(Pump)=true, I1),
    holdsFor(sky=night, I2),
    intersect_all([I1, I2], I).
