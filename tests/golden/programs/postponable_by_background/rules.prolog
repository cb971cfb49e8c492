% p may have a body: a is extendable: moved from 7 to 9: [3,10); b is not: [3,8).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
ft(on(_)=true, 5).
p(on(X)=true) :- extendable(X).
extendable(a).
