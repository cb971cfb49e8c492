collectIntervals(on(_)=true).
holdsFor(d(X)=true, I) :- holdsFor(on(X)=true, I0), first_only(I0, I).
first_only([Interval|_], [Interval]).
