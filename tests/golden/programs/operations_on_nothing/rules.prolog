% The union of no lists is empty, the complement of no lists is the whole run, the relative complement with no lists is
% the list itself: [3,5).
collectIntervals(a=true).
holdsFor(none=true, I) :- holdsFor(a=true, _), union_all([], I).
holdsFor(whole=true, I) :- holdsFor(a=true, _), complement_all([], I).
holdsFor(same=true, I) :- holdsFor(a=true, J), relative_complement_all(J, [], I).
