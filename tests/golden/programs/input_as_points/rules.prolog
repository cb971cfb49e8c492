% Points 4, 5, 6 and 9: fast holds on [4,7) and [9,10). It starts at 3 and 8, ends at 6 and 9. slow at 7: [7,8).
% At 5 it is fast, at 7 not.
points(speed(_)=_).
holdsFor(fast(X)=true, I) :- holdsFor(speed(X)=fast, I).
happensAt(starts(X, V), T) :- happensAt(start(speed(X)=V), T).
happensAt(ends(X, V), T) :- happensAt(end(speed(X)=V), T).
happensAt(caught(X), T) :- happensAt(radar(X), T), holdsAt(speed(X)=fast, T).
grounding(fast(X)=true) :- vehicle(X).
vehicle(c1).
