% The fragment `quote` for jREC: EVENTS are the events, FILE is the file of the answers. The clauses of jREC follow.

test :- update([EVENTS]), tell('FILE'), written, told.

written :-
    mholds_for(quote(M,C,_), [S,E]),
    write(M), write(' '), write(C), write(' '), write(S), write(' '), write(E), nl,
    fail.
written.

initiates(presentQuote(M,C,G), quote(M,C,G), _).
terminates(acceptQuote(M,C,G), quote(M,C,G), _).
