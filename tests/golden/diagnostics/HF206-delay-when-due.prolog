initiatedAt(level=N, T) :- happensAt(set(N), T).
initiatedAt(f=a, T) :- happensAt(go, T).
fi(f=a, f=b, R) :- holdsAt(level=N, T), R is N * 2.
