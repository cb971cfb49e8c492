% Effects of delays are initiations like others: start, end and initiatedAt see them. on at 3, off by delay at 8:
% ended at 8; cold is initiated there: [9,...), and at 13 turned to frozen by its own delay: cold [9,14), frozen [14,inf).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
ft(on(_)=true, 5).
initiatedAt(heat(X)=cold, T) :- happensAt(end(on(X)=true), T).
fi(heat(X)=cold, heat(X)=frozen, 5).
happensAt(told(X, V), T) :- initiatedAt(heat(X)=V, T).
happensAt(was_on(X), T) :- happensAt(start(heat(X)=cold), T), holdsAt(on(X)=true, T).
% was_on: at 8 on holds still ([4,9)).
