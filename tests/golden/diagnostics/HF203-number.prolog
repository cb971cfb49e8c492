initiatedAt(on(X)=true, 5) :- happensAt(switch_on(X), 5).
