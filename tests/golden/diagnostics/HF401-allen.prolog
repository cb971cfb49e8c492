initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
initiatedAt(dark(X)=true, T) :- happensAt(switch_off(X), T).
terminatedAt(dark(X)=true, T) :- happensAt(switch_on(X), T).
holdsFor(lit_first(X)=true, I) :-
    holdsFor(on(X)=true, On),
    holdsFor(dark(X)=true, Dark),
    allen(before, On, Dark, source, I).
