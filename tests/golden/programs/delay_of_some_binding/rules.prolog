% Two friends set up the same effect, due at 7: it acts because one of them (cyd, the second) is there then.
initiatedAt(alone(X)=true, T) :- happensAt(arrive(X), T).
fi(alone(X)=true, alone(X)=false, R) :- friend(X, Y), visits(Y, R), holdsAt(here(Y)=true, T).
friend(ann, bob).
friend(ann, cyd).
visits(bob, 5).
visits(cyd, 5).
collectIntervals(here(_)=true).
