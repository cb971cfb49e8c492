% An FVP outside its declared grounding is never derived: lamp [4,inf), and nothing of the radio, which is no lamp. The
% radio has no start event either, and no output event outside its grounding happens.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
happensAt(lit(X), T) :- happensAt(start(on(X)=true), T).
happensAt(click(X), T) :- happensAt(switch_on(X), T).
grounding(on(X)=true) :- lamp(X).
grounding(click(X)) :- lamp(X).
lamp(lamp).
