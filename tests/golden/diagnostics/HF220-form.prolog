:- output.

initiatedAt(lit(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch_off(X), T).
