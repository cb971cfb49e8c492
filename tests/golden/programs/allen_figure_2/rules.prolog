% Figure 2 of the Allen paper. (a) within [3,10) and [20,24), gap [5,8) and [10,14) and [27,30): only [3,10) meets [10,14),
% which begins where it ends. target: [10,14); union: [3,14).
% (b) gaps of v1 [3,6) [12,15), of v2 [14,17) [25,28); together [3,6) [12,17) [25,28); near [10,20) and [23,26): only [12,17)
% is during [10,20): target: [10,20).
collectIntervals(within(_)=true).
collectIntervals(gap(_)=far).
collectIntervals(near(_, _)=true).
holdsFor(disappeared(V)=true, I) :-
    holdsFor(within(V)=true, S), holdsFor(gap(V)=far, J), allen(meets, S, J, target, I).
holdsFor(whole(V)=true, I) :-
    holdsFor(within(V)=true, S), holdsFor(gap(V)=far, J), allen(meets, S, J, union, I).
holdsFor(rendezvous(V1, V2)=true, I) :-
    holdsFor(gap(V1)=far, I1), holdsFor(gap(V2)=far, I2), holdsFor(near(V1, V2)=true, J),
    union_all([I1, I2], S), allen(during, S, J, target, I).
grounding(disappeared(V)=true) :- vessel(V).
grounding(whole(V)=true) :- vessel(V).
grounding(rendezvous(v1, v2)=true).
vessel(v0).
