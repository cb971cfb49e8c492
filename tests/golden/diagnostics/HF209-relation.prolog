collectIntervals(a(_)=true).
collectIntervals(b(_)=true).
holdsFor(u(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), allen(overlap, I1, I2, source, I).
