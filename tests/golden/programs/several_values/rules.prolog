% pub initiated at 5, broken by home at 9: pub [6,10), home [10,...). home again at 12 changes nothing. work at 20 breaks
% home: home [10,21), work [21,inf). A fluent has at most one value.
initiatedAt(location(X)=Y, T) :- happensAt(go_to(X, Y), T).
