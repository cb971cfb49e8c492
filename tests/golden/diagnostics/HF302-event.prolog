initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
grounding(switch_on(X)) :- lamp(X).
grounding(switch_off(X)) :- lamp(X).
grounding(on(X)=true) :- lamp(X).
lamp(l1).
terminatedAt(on(X)=true, T) :- happensAt(swich_off(X), T).
