% gap: near [4,7), far [7,11). It starts, whatever its value: at 3 and 6; it ends at 6 and 10.
% Any gap: the union over all values: [4,11). A value left open under holdsAt: at 5 and 8 there is some gap, at 12 none.
initiatedAt(gap(V)=P, T) :- happensAt(lost(V, P), T).
terminatedAt(gap(V)=_, T) :- happensAt(found(V), T).
happensAt(begins(V), T) :- happensAt(start(gap(V)=_), T).
happensAt(ceases(V), T) :- happensAt(end(gap(V)=_), T).
happensAt(silent(V), T) :- happensAt(call(V), T), holdsAt(gap(V)=_, T).
happensAt(answers(V), T) :- happensAt(call(V), T), not holdsAt(gap(V)=_, T).
holdsFor(any_gap(V)=true, I) :- holdsFor(gap(V)=_, I).
grounding(gap(V)=P) :- vessel(V), place(P).
grounding(any_gap(V)=true) :- vessel(V).
vessel(v1).
place(near).
place(far).
