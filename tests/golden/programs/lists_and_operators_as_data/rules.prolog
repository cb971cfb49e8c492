% Lists and infix terms are data like any other: anti-pollution is the term -(anti,pollution). Member of a list at 3.
initiatedAt(duty(V)=anti-pollution, T) :- happensAt(order(V, K), T), member(K, [clean, skim]).
terminatedAt(duty(V)=anti-pollution, T) :- happensAt(order(V, K), T), \+ member(K, [clean, skim]).
happensAt(route(V, [A, B|Rest]), T) :- happensAt(order(V, K), T), stops(K, [A, B|Rest]).
stops(clean, [a, b, c]).
stops(home, [d]).
