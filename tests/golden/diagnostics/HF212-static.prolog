holdsFor(a(X)=true, I) :- holdsFor(b(X)=true, I).
holdsFor(b(X)=true, I) :- holdsFor(c(X)=true, I1), holdsFor(a(X)=true, I2), union_all([I1, I2], I).
collectIntervals(c(_)=true).
