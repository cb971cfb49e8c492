% The effect of a is to initiate a again. It is no re-initiation that postpones itself: a beats at 2, 7, 12 and 17.
initiatedAt(f(X)=on, T) :- happensAt(go(X), T).
fi(f(X)=on, f(Y)=on, 5) :- passes_to(X, Y).
p(f(_)=on).
passes_to(a, a).
happensAt(beat(X), T) :- initiatedAt(f(X)=on, T).
