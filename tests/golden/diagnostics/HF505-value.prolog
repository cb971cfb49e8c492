initiatedAt(on(X)=true, T) :- happensAt(start(lit(X)=true), T).
terminatedAt(on(X)=true, T) :- happensAt(end(lit(X)=true), T).
collectIntervals(lit(_)=true).
