initiatedAt(On(X)=true, T) :- happensAt(switch_on(X), T).
