initiatedAt(a=true, T) :- happensAt(start(b=true), T).
initiatedAt(b=true, T) :- happensAt(start(a=true), T).
initiatedAt(a=true, T) :- happensAt(go, T).
terminatedAt(a=true, T) :- happensAt(stop, T).
terminatedAt(b=true, T) :- happensAt(stop, T).
