% The time-point is a value like any other: last seen at 3: [4,8), at 7: [8,inf). Seen at all: [4,inf).
initiatedAt(last_seen(X)=T, T) :- happensAt(see(X), T).
holdsFor(known(X)=true, I) :- holdsFor(last_seen(X)=_, I).
grounding(known(X)=true) :- thing(X).
thing(x).
