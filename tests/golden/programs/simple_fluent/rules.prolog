% Initiated at 10 and 20, first broken after 10 at 25: [11,26). The termination at 30 finds nothing to end.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
