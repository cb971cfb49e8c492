initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
initiatedAt(on(Lamp)=true, Time) :- happensAt(switch_on(Lamp), Time).
