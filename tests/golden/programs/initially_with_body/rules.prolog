% Initial values of the doors of the background: closed(front) is open at first, closed(back) is true.
% front: closed at 4: false [0,5), true [5,inf). back: never touched: true [0,inf).
initially(closed(D)=true) :- door(D), \+ glass(D).
initially(closed(D)=false) :- door(D), glass(D).
initiatedAt(closed(D)=true, T) :- happensAt(close(D), T).
initiatedAt(closed(D)=false, T) :- happensAt(open(D), T).
door(front).
door(back).
glass(front).
