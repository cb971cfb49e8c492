% Only the length of the first list is used. The second list is used otherwise, and the third length is known before.
initiatedAt(voted(V)=X, T) :- happensAt(vote(V,X), T).
happensAt(result(A), T) :- happensAt(close, T), findall(V, holdsAt(voted(V)=aye, T), L), length(L, A), A > 1.
happensAt(ayes(L,A), T) :- happensAt(close, T), findall(V, holdsAt(voted(V)=aye, T), L), length(L, A).
happensAt(quorum, T) :- happensAt(close, T), need(N), findall(V, holdsAt(voted(V)=_, T), L), length(L, N).
need(3).
