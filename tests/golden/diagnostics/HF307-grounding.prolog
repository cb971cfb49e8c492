initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
grounding(on(X)=true) :- lamp(X), red(X).
lamp(l1).
red(l2).
