% How many are in is counted when the effect is due. At 7 only ann is in: a stays. Set up again at 12, after a was broken
% at 10, it is due at 17, when both are in: b [18,inf).
initiatedAt(f=a, T) :- happensAt(go, T).
terminatedAt(f=a, T) :- happensAt(stop, T).
fi(f=a, f=b, 5) :- findall(X, holdsAt(in(X)=true, T), L), length(L, N), N >= 2.
collectIntervals(in(_)=true).
