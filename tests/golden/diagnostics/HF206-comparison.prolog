initiatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S > Limit.
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
