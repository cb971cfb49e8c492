% The query time is 30. a runs since 28: [28,inf) is about 3 long: shorter than 6. b runs since 10: longer than 6 and not
% shorter. A filter over an intersection looks at the maximal intervals of the intersection.
initiatedAt(working(X)=true, T) :- happensAt(begin(X), T).
terminatedAt(working(X)=true, T) :- happensAt(finish(X), T).
collectIntervals(shift(_)=true).
holdsFor(short(X)=true, I) :- holdsFor(working(X)=true, I1), intDurLess(I1, 6, I).
holdsFor(long(X)=true, I) :- holdsFor(working(X)=true, I1), intDurGreater(I1, 6, I).
holdsFor(overtime(X)=true, I) :-
    holdsFor(working(X)=true, I1), holdsFor(shift(X)=true, I2), relative_complement_all(I1, [I2], I3),
    intDurGreater(I3, 6, I).
% overtime: b works on [10,inf), shift [12,20): outside it [10,12), 2 long, and [20,inf), 10 long.
