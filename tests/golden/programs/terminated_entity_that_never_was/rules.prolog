% Only door a can be opened. Closing b terminates open(b) all the same: noted.
initiatedAt(noted(X)=true, T) :- terminatedAt(open(X)=true, T).
initiatedAt(open(a)=true, T) :- happensAt(unlock, T).
terminatedAt(open(X)=true, T) :- happensAt(close(X), T).
