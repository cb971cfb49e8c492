% a: true initiated at 5, so false at 5+10 = 15: true [6,16), false [16,inf).
% b: true at 5, accepted at 9, which cancels the delay: true [6,10), false [10,inf) and nothing at 15. True again at
% 12, false at 22: false [10,13) and [23,inf), true [13,23).
% c: true at 5 and 8, without p: the first one counts: false at 15, not at 18: true [6,16).
initiatedAt(quote(G)=true, T) :- happensAt(present_quote(G), T).
initiatedAt(quote(G)=false, T) :- happensAt(accept_quote(G), T).
fi(quote(G)=true, quote(G)=false, 10).
