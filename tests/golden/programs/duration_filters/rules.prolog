% working: [3,8) lasts 5, [10,16) lasts 6, [20,inf) lasts 10 at least at the query time 30.
% Longer than 5: [10,16) and [20,inf), whole. Shorter than 6: [3,8). The definition of the same name below is ignored.
% The bound may be computed: longer than 2*3+3 = 9: [20,inf) only.
initiatedAt(working(X)=true, T) :- happensAt(begin(X), T).
terminatedAt(working(X)=true, T) :- happensAt(finish(X), T).
holdsFor(long(X)=true, I) :- holdsFor(working(X)=true, I1), intDurGreater(I1, 5, I).
holdsFor(short(X)=true, I) :- holdsFor(working(X)=true, I1), intDurLess(I1, 6, I).
holdsFor(very_long(X)=true, I) :-
    holdsFor(working(X)=true, I1), patience(X, P), D is 2*P+3, intDurGreater(I1, D, I).
patience(ann, 3).
intDurGreater(_, _, []).
