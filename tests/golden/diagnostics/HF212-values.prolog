initiatedAt(mode(X)=mid, T) :- happensAt(switch(X), T).
initiatedAt(mode(X)=off, T) :- happensAt(start(long(X)=true), T).
holdsFor(long(X)=true, J) :- holdsFor(mode(X)=mid, I), intDurGreater(I, 13, J).
