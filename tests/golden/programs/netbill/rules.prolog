% The cd-components of Figure 3 of the delayed-effects paper: quote | permission | contract and suspended.
% m presents a quote to c at 2: true [3,...), expiring at 2+5 = 7, false at 7+3 = 10. Accepted at 8, while expiring: the
% contract holds on [9,...), the quote is false at 8: true [3,8), expiring [8,9), false [9,inf).
% The contract ends by itself at 8+10 = 18: true [9,19), false [19,inf). m has no permission to present quotes while he is
% not permitted: he is at first, forbidden at 4 ([5,...)): permission true [0,5), false [5,inf).
% A quote presented at 12 without permission suspends m, while the contract holds: suspended true [13,17), for 4, then
% false [17,inf). It is accepted at 14: m is suspended: no second contract; the quote is false at 14: true [13,15).
initially(per(m)=true).
initiatedAt(quote(M, C)=true, T) :- happensAt(present_quote(M, C), T).
initiatedAt(quote(M, C)=false, T) :- happensAt(accept_quote(C, M), T).
fi(quote(M, C)=true, quote(M, C)=expiring, 5).
fi(quote(M, C)=expiring, quote(M, C)=false, 3).
p(quote(_, _)=true).
initiatedAt(per(M)=true, T) :- happensAt(permit(M), T).
initiatedAt(per(M)=false, T) :- happensAt(forbid(M), T).
initiatedAt(contract(M, C)=true, T) :-
    happensAt(accept_quote(C, M), T), holdsAt(quote(M, C)=true, T), not holdsAt(suspended(M)=true, T).
initiatedAt(contract(M, C)=true, T) :-
    happensAt(accept_quote(C, M), T), holdsAt(quote(M, C)=expiring, T), not holdsAt(suspended(M)=true, T).
fi(contract(M, C)=true, contract(M, C)=false, 10).
initiatedAt(suspended(M)=true, T) :-
    happensAt(present_quote(M, C), T), holdsAt(per(M)=false, T), holdsAt(contract(M, C)=true, T).
fi(suspended(M)=true, suspended(M)=false, 4).
