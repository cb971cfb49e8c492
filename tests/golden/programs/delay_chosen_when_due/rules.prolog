% The facts set up two effects, due at 5 (level 1) and at 7 (level 2). The level is 2: nothing at 5, b at 7.
initiatedAt(level=N, T) :- happensAt(set(N), T).
initiatedAt(f=a, T) :- happensAt(go, T).
fi(f=a, f=b, R) :- limit(N, R), holdsAt(level=N, T).
limit(1, 3).
limit(2, 5).
