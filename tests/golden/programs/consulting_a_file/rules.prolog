% The colours and their rules are in other files: warm is red or yellow. The lamp is red at 3: [4,...), warm is told at 3;
% blue at 6 is not warm.
:- [colours].
:- consult('more/signals.pl').
initiatedAt(colour(X)=C, T) :- happensAt(paint(X, C), T).
happensAt(warm(X), T) :- happensAt(start(colour(X)=C), T), warm(C).
