% Rules without HF314: a third condition connects two, one instance is enough, or events join by time.
collectIntervals(slow(_)=true).
collectIntervals(near(_,_)=true).
holdsFor(meeting(V1,V2)=true, I) :-
    holdsFor(slow(V1)=true, I1), holdsFor(slow(V2)=true, I2), holdsFor(near(V1,V2)=true, N), intersect_all([I1,I2,N], I).
holdsFor(sisters(V1,V2)=true, I) :-
    holdsFor(slow(V1)=true, I1), holdsFor(slow(V2)=true, I2), same_owner(V1, V2), union_all([I1,I2], I).
happensAt(out(V), T) :- happensAt(blackout(_), T), holdsAt(slow(V)=true, T).
happensAt(alarm(V), T) :- happensAt(call(V), T), holdsAt(slow(_)=true, T).
happensAt(answer(V1,V2), T) :- happensAt(call(V1), T), happensAt(reply(V2), T).
happensAt(help(V1,V2), T) :- happensAt(call(V1), T), same_owner(V1, V2), holdsAt(slow(V2)=true, T).
same_owner(v1, v2).
happensAt(alone(V), T) :- happensAt(call(V), T), \+ (holdsAt(slow(W)=true, T), W @> v1).
happensAt(last(V), T) :- happensAt(call(V), T), \+ (holdsAt(near(V,W)=true, T), W @> V).
