% A lamp that is lit somewhere is combined with every probe, in all rooms.
initiatedAt(lit(Room)=true, T) :- happensAt(on(Room), T).
terminatedAt(lit(Room)=true, T) :- happensAt(off(Room), T).
happensAt(seen(Probe, Room), T) :- happensAt(probe(Probe), T), holdsAt(lit(Room)=true, T).
