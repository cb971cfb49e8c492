% Who is in asks who was in: what happens outside of that is asked first. A comparison stays behind what it stands behind.
initiatedAt(in(X)=true, T) :-
    happensAt(knock(X, N), T), not holdsAt(in(X)=true, T), holdsAt(open=true, T), N > 1.
terminatedAt(in(X)=true, T) :- happensAt(knock(X, _), T), holdsAt(in(X)=true, T), happensAt(bell, T).
initiatedAt(open=true, T) :- happensAt(unlock, T).
