% expiring has no grounding: it is not reported, but its initiation at 7 breaks true: [3,8), and it initiates false at 10:
% [11,inf). Nobody sees expiring: the warning at 9 does not come, the one for true at 5 does.
initiatedAt(quote(G)=true, T) :- happensAt(present_quote(G), T).
fi(quote(G)=true, quote(G)=expiring, 5).
fi(quote(G)=expiring, quote(G)=false, 3).
happensAt(state(G, V), T) :- happensAt(ask(G), T), holdsAt(quote(G)=V, T).
grounding(quote(G)=true) :- goods(G).
grounding(quote(G)=false) :- goods(G).
goods(a).
