collectIntervals(near(_, _)=true).
holdsFor(accompanied(X)=true, I) :- holdsFor(near(X, _)=true, I), !.
