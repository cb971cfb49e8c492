:- intervalwise(longest/2).
holdsFor(d(X)=true, I) :- holdsFor(on(X)=true, I), holdsFor(off(X)=true, J), longest(I, J).
longest(I, I).
