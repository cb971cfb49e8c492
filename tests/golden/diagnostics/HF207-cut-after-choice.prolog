collectIntervals(a(_)=true).
collectIntervals(b(_)=true).
holdsFor(u(X)=true, I) :- pair(X, Y), !, holdsFor(a(Y)=true, I).
pair(p, q).
pair(p, r).
