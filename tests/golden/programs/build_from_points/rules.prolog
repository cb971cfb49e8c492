% buildFromPoints is the older word for points; a declaration with a body that fails declares nothing.
% Points 4, 5 and 7: [4,6) [7,8). The interval [10,20) of busy arrives as an interval.
buildFromPoints(walking(_)=true).
buildFromPoints(_) :- fail.
collectIntervals(busy(_)=true).
holdsFor(active(X)=true, I) :- holdsFor(walking(X)=true, I1), holdsFor(busy(X)=true, I2), union_all([I1, I2], I).
grounding(active(X)=true) :- person(X).
person(p1).
index(walking(X)=true, X).
