initiatedAt(at(Vessel)=Berth, T) :- happensAt(moors(Vessel, Berth), T).
terminatedAt(at(Vessel)=_, T) :- happensAt(casts_off(Vessel), T).
holdsFor(together(V1, V2)=Berth, I) :-
    holdsFor(at(V1)=Berth, I1), holdsFor(at(V2)=Berth, I2), V1 @< V2,
    intersect_all([I1, I2], I).
