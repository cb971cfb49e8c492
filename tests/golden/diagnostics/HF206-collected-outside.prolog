% The values that are collected would have to come from the list itself.
happensAt(busy(X),T) :-
    happensAt(e(X),T),
    findall(K, happensAt(f(X,K),T), L),
    member(K, L).
