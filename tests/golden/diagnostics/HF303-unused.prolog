initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
happensAt(click(X), T) :- happensAt(switch_on(X), T).
grounding(on(X)=true) :- lamp(X).
lamp(l1).
