% Every probe is compared with all rooms in which a lamp is lit.
initiatedAt(lit(Room)=true, T) :- happensAt(on(Room), T).
terminatedAt(lit(Room)=true, T) :- happensAt(off(Room), T).
happensAt(first(Room), T) :- happensAt(probe(Room), T), \+ (holdsAt(lit(Other)=true, T), Other @< Room).
