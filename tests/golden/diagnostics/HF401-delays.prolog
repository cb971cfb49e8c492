initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
ft(on(_)=true, 20).
