% per(close_ballot(c,m)) and per(second(c,m)) are different fluents; constants inside terms are part of the name.
% Permission to close for the chair of m1 at 3 ([4,...)), withdrawn at 9: [4,10). Obligation with a constant inside,
% obl(send(c1,iServer,g1)), at 5, discharged only by the right send: g2 at 7 does nothing, g1 at 8 does: [6,9).
initiatedAt(per(close_ballot(C, M))=true, T) :- happensAt(vote_opened(C, M), T).
terminatedAt(per(close_ballot(C, M))=true, T) :- happensAt(vote_suspended(C, M), T).
initiatedAt(per(second(C, M))=true, T) :- happensAt(proposed(C, M), T).
initiatedAt(obl(send(C, iServer, G))=true, T) :- happensAt(order(C, G), T).
terminatedAt(obl(send(C, iServer, G))=true, T) :- happensAt(sent(send(C, iServer, G)), T).
happensAt(allowed(A), T) :- happensAt(ask(A), T), holdsAt(per(A)=true, T).
% ask close_ballot(c,m1) at 5: allowed; second(c,m1) at 5: not (proposed at 6 only); at 8: allowed.
