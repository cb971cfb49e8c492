initiatedAt(mode(X)=M, T) :- happensAt(switch(X, M), T).
holdsFor(brief(X)=true, J) :- holdsFor(mode(X)=mid, I), intDurLess(I, 13, J).
fi(mode(X)=on, warm(X)=true, 14) :- \+ holdsAt(brief(X)=true, T).
terminatedAt(warm(X)=true, T) :- happensAt(ping(X), T).
