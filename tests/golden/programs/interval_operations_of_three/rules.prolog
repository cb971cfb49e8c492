% a [5,20), b [10,25), c [15,30). All three: [15,20). a without b and c: [5,10). Some: [5,30). A list written out, [(0,3)],
% counts as any other: [0,3) [5,30). The intersection of one list is that list: [5,20).
collectIntervals(a=true).
collectIntervals(b=true).
collectIntervals(c=true).
holdsFor(all=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), holdsFor(c=true, I3), intersect_all([I1, I2, I3], I).
holdsFor(a_alone=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), holdsFor(c=true, I3), relative_complement_all(I1, [I2, I3], I).
holdsFor(some=true, I) :-
    holdsFor(a=true, I1), holdsFor(b=true, I2), holdsFor(c=true, I3), union_all([I1, I2, I3, [(0,3)]], I).
holdsFor(one=true, I) :-
    holdsFor(a=true, I1), intersect_all([I1], I).
