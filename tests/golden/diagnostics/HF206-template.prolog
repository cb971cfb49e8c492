happensAt(n(N), T) :- happensAt(look, T), findall(Q, happensAt(ring(_), T), L), length(L, N).
