initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T) holdsAt(ready(X)=true, T).
