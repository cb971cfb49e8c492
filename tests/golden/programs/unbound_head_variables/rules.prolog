% v1 enters a port at 2 and a bay at 5; the gap at 9 ends it for every kind of area: port [3,10), bay [6,10).
% v2 is in the bay since 4 and has no gap: [5,inf). The alarm at 12 puts every vessel on watch: [13,inf) each.
initiatedAt(within(V, A)=true, T) :- happensAt(enter(V, A), T).
terminatedAt(within(V, _)=true, T) :- happensAt(gap_start(V), T).
initiatedAt(watch(_)=true, T) :- happensAt(alarm, T).
terminatedAt(watch(V)=true, T) :- happensAt(all_clear(V), T).
grounding(within(V, A)=true) :- vessel(V), area(A).
grounding(watch(V)=true) :- vessel(V).
vessel(v1).
vessel(v2).
area(port).
area(bay).
