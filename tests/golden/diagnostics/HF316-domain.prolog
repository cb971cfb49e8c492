dynamicDomain(vessel(V)).
initiatedAt(seen(V)=true, T) :- happensAt(ping(V), T).
terminatedAt(seen(V)=true, T) :- happensAt(lost(V), T).
grounding(seen(V)=true) :- vessel(V).
