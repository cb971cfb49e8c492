% The worked example of the literature: A [10,15) [23,30) [40,50) [60,70), B [17,21) [26,35) [43,47) [54,65).
% Union: in A or B. Intersection: in A and B. Relative complement: in A and not in B. Complement: from the first
% time-point, 0, on and in neither.
collectIntervals(a=true).
collectIntervals(b=true).
holdsFor(either=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), union_all([I1, I2], I).
holdsFor(both=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), intersect_all([I1, I2], I).
holdsFor(only_a=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), relative_complement_all(I1, [I2], I).
holdsFor(neither=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), complement_all([I1, I2], I).
