initiatedAt(a(X)=on, T) :- happensAt(switch(X, a), T).
initiatedAt(c(X)=on, T) :- happensAt(switch(X, c), T).
holdsFor(long_a(X)=true, J) :- holdsFor(a(X)=on, I), intDurGreater(I, 5, J).
holdsFor(long_c(X)=true, J) :- holdsFor(c(X)=on, I), intDurGreater(I, 5, J).
fi(a(X)=on, b(X)=on, R) :- limit(X, R), holdsAt(long_c(X)=true, T).
fi(c(X)=on, d(X)=on, 4) :- holdsAt(long_a(X)=true, T).
ft(a(X)=on, 9).
ft(b(X)=on, 9).
ft(c(X)=on, 9).
ft(d(X)=on, 9).
limit(x, 3).
