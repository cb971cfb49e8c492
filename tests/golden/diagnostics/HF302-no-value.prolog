initiatedAt(happy(X)=true, T) :- happensAt(win(X), T).
terminatedAt(happy(X)=true, T) :- happensAt(startI(sad(X)), T).
initiatedAt(sad(X)=true, T) :- happensAt(end(happy(X)), T).
terminatedAt(sad(X)=true, T) :- happensAt(start(happy(X)=true), T).
