collectIntervals(a(_,_)=true).
room(kitchen).
holdsFor(in(X)=true, I) :- findall(J, (room(R), holdsFor(a(X,R)=true, J)), L), union_all(L, I).
