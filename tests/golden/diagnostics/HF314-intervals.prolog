% All pairs of vessels that are slow at the same time; V1 and V2 need a condition such as `near(V1,V2)`.
collectIntervals(slow(_)=true).
holdsFor(meeting(V1,V2)=true, I) :-
    holdsFor(slow(V1)=true, I1), holdsFor(slow(V2)=true, I2), V1 @< V2, intersect_all([I1,I2], I).
