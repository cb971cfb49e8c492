initiatedAt(docked(V, A)=true, T) :- happensAt(position(V,La,Lo),T), in_area(La,Lo,A).
terminatedAt(docked(V, A)=true, T) :- happensAt(position(V,La,Lo),T), \+ in_area(La,Lo,A).
