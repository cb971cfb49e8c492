collectIntervals(open(_)=true).
first([I|_], [I]).
holdsFor(opened(X)=true, J) :- holdsFor(open(X)=true, I), first(I, J).
