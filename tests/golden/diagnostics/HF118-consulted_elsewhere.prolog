:- ['../../secrets'].
initiatedAt(open(D)=true, T) :- happensAt(open(D), T).
terminatedAt(open(D)=true, T) :- happensAt(close(D), T).
