% Quotes that expire and are prolonged: true -> expiring after 5, expiring -> false after 3.
% a: true at 2, expiring at 7, false at 10: true [3,8), expiring [8,11), false [11,inf).
% b: true at 2, prolonged at 6 (postponable): expiring at 11, false at 14: true [3,12), expiring [12,15), false [15,inf).
% c: true at 2, expiring at 7, presented again at 9: expiring is broken, its delay cancelled; expiring again at 14, false at
% 17: true [3,8) [10,15), expiring [8,10) [15,18), false [18,inf).
% d: true at 2, expiring at 7, accepted at 8: expiring [8,9), false [9,inf).
initiatedAt(quote(G)=true, T) :- happensAt(present_quote(G), T).
initiatedAt(quote(G)=false, T) :- happensAt(accept_quote(G), T).
fi(quote(G)=true, quote(G)=expiring, 5).
fi(quote(G)=expiring, quote(G)=false, 3).
p(quote(_)=true).
