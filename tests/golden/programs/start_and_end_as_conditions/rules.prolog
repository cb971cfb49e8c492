% A fluent lives from the start of one fluent to the end of another. doors: input [5,9): start at 4, end at 8.
% moving: initiated when the doors close (8), terminated when they open (4, nothing then): [9,15) for they open again:
% [15,18) starts at 14. Initiated again at 17: [18,inf).
collectIntervals(doors(_)=open).
initiatedAt(moving(X)=true, T) :- happensAt(end(doors(X)=open), T).
terminatedAt(moving(X)=true, T) :- happensAt(start(doors(X)=open), T).
