:- output(lit/2), output([darc, switch_on/1, lit(_)=false]).

initiatedAt(lit(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch_off(X), T).
happensAt(dark(X), T) :- happensAt(end(lit(X)=true), T).
