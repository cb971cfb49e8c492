% Three rounds of 4 time-points, then the game is over (13). Within a round the turn passes every 2. When the last round
% ends, the turn must not pass once more: that is a condition of the effect, tested when it is due. Rounds at 1, 5, 9, over
% at 13; proponent at 1, 5, 9 and opponent at 3, 7, 11, until 13.
initiatedAt(round(G)=1, T) :- happensAt(begin(G), T).
fi(round(G)=N, round(G)=M, 4) :- number(N), N < 3, M is N + 1.
fi(round(G)=3, round(G)=over, 4).
initiatedAt(turn(G)=proponent, T) :- happensAt(begin(G), T).
fi(turn(G)=proponent, turn(G)=opponent, 2) :- not initiatedAt(round(G)=over, T).
fi(turn(G)=opponent, turn(G)=proponent, 2) :- not initiatedAt(round(G)=over, T).
terminatedAt(turn(G)=_, T) :- initiatedAt(round(G)=over, T).
