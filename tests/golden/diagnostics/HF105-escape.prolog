initiatedAt(path(X)='C:\data', T) :- happensAt(open(X), T).
