initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(_)=true, T) :- happensAt(power_cut, T).
initiatedAt(dark(X)=true, T) :- happensAt(look(X), T), terminatedAt(on(X)=true, T).
terminatedAt(dark(X)=true, T) :- happensAt(switch_on(X), T).
