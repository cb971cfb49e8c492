% The output mode works on the lists of related intervals, not pair by pair. s [2,20), t [4,6) [8,10) [18,25).
% contains: s has [4,6) and [8,10) inside: s minus both: [2,4) [6,8) [10,20). [18,25) is overlapped, not contained.
% during, the other way round: target: [2,20).
collectIntervals(s=true).
collectIntervals(t=true).
holdsFor(rest=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(contains, S, J, complement, I).
holdsFor(around=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(during, J, S, target, I).
holdsFor(inner=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(during, J, S, source, I).
holdsFor(none=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(meets, S, J, union, I).
