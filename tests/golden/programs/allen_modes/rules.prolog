% s: [5,12) [20,25); t: [10,15) [30,35). Only [5,12) overlaps [10,15). source [5,12), target [10,15), union [5,15),
% intersect [10,12), complement [5,10), complement_inv [12,15).
collectIntervals(s=true).
collectIntervals(t=true).
holdsFor(source=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlaps, S, J, source, I).
holdsFor(target=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlaps, S, J, target, I).
holdsFor(union=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlaps, S, J, union, I).
holdsFor(intersect=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlaps, S, J, intersect, I).
holdsFor(complement=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlaps, S, J, complement, I).
holdsFor(complement_inv=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlaps, S, J, complement_inv, I).
% The inverse has s and t swapped: t is overlapped by s; source is what is written first, t.
holdsFor(inverse_source=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlapped_by, J, S, source, I).
holdsFor(inverse_complement=true, I) :- holdsFor(s=true, S), holdsFor(t=true, J), allen(overlapped_by, J, S, complement, I).
