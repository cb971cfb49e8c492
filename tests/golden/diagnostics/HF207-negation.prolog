collectIntervals(a(_)=true).
collectIntervals(b(_)=true).
holdsFor(u(X)=true, I) :- holdsFor(a(X)=true, I), \+ holdsFor(b(X)=true, _).
