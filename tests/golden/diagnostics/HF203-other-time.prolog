initiatedAt(on(X)=true, T) :-
    happensAt(switch_on(X), T), happensAt(unlock(X), T0), T0 < T.
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
