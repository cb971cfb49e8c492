initiatedAt(on(X)=true, T) :- happensAt(go(X), T).
ft(on(_)=true, 7).
