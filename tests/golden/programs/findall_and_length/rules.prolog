% A vote closes at 10: ayes of ann and bob ([3,inf), [4,inf)), nay of cat: 2 against 1: carried. At 20, bob has changed to
% nay at 15: 1 against 2: lost. At 25 dan has voted aye too: 2 to 2: neither.
initiatedAt(vote(X)=V, T) :- happensAt(cast(X, V), T).
happensAt(result(carried), T) :-
    happensAt(close, T),
    findall(X, holdsAt(vote(X)=aye, T), Ayes), length(Ayes, A),
    findall(X, holdsAt(vote(X)=nay, T), Nays), length(Nays, N),
    A > N.
happensAt(result(lost), T) :-
    happensAt(close, T),
    findall(X, holdsAt(vote(X)=aye, T), Ayes), length(Ayes, A),
    findall(X, holdsAt(vote(X)=nay, T), Nays), length(Nays, N),
    A < N.
happensAt(voters(L), T) :- happensAt(close, T), findall(X, holdsAt(vote(X)=aye, T), L).
