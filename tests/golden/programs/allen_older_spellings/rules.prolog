% The same as allen_modes in RTEC's spelling: relation(S,T,mode,I), and the older names of the modes.
collectIntervals(s=true).
collectIntervals(t=true).
holdsFor(source=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), overlaps(S, J, lhs, I).
holdsFor(target=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), overlaps(S, J, rhs, I).
holdsFor(union=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), overlaps(S, J, union, I).
holdsFor(intersect=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), overlaps(S, J, intersection, I).
holdsFor(complement=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), overlaps(S, J, relative_complement, I).
holdsFor(complement_inv=true, I) :-
    holdsFor(s=true, S), holdsFor(t=true, J), overlaps(S, J, relative_complement_inverse, I).
holdsFor(before=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), before(S, J, source, I).
% before: both of s are over when [30,35) begins: [5,12) [20,25).
