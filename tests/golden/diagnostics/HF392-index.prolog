collectIntervals(near(_)=true).
holdsFor(close(X)=true, I) :- holdsFor(X, near(X)=true, N), union_all([N], I).
