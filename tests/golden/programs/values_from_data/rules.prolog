% Values that only the data has: bus b1 has a crowd of 12 on [3,7), then 40 on [7,inf). Compared in the rule: full at 6.
% A value passed on by a variable: remembered when the inspector asks at 5 (12), at 9 (40): 12 [6,10), 40 [10,inf).
initiatedAt(crowd(B)=N, T) :- happensAt(count(B, N), T).
initiatedAt(noted(B)=N, T) :- happensAt(inspect(B), T), holdsAt(crowd(B)=N, T).
happensAt(full(B), T) :- happensAt(start(crowd(B)=N), T), N > 30.
holdsFor(tight(B)=true, I) :- holdsFor(crowd(B)=40, I).
grounding(tight(B)=true) :- bus(B).
bus(b1).
