initiatedAt(speeding(Bus)=true, T) :- happensAt(speed(Bus, Kmh), T), Kmh > 50.
terminatedAt(speeding(Bus)=true, T) :- happensAt(speed(Bus, Kmh), T), Kmh =< 50.
