% Intervals of one time-point, by the letter of the table (s, t):
% point_first [9,10) [9,15): starts. point_last [5,10) [9,10): finished_by, the ends are equal.
% point_before [9,10) [10,15): meets. same_point [9,10) [9,10): equal. point_inside [9,10) [5,15): during.
% two_points [8,10) [9,15): overlaps.
collectIntervals(s(_)=true).
collectIntervals(t(_)=true).
holdsFor(before(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(before, S, J, source, I).
holdsFor(meets(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(meets, S, J, source, I).
holdsFor(starts(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(starts, S, J, source, I).
holdsFor(finishes(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(finishes, S, J, source, I).
holdsFor(during(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(during, S, J, source, I).
holdsFor(overlaps(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(overlaps, S, J, source, I).
holdsFor(equal(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(equal, S, J, source, I).
holdsFor(after(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(after, S, J, source, I).
holdsFor(met_by(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(met_by, S, J, source, I).
holdsFor(started_by(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(started_by, S, J, source, I).
holdsFor(finished_by(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(finished_by, S, J, source, I).
holdsFor(contains(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(contains, S, J, source, I).
holdsFor(overlapped_by(K)=true, I) :- holdsFor(s(K)=true, S), holdsFor(t(K)=true, J), allen(overlapped_by, S, J, source, I).
grounding(before(K)=true) :- key(K).
grounding(meets(K)=true) :- key(K).
grounding(starts(K)=true) :- key(K).
grounding(finishes(K)=true) :- key(K).
grounding(during(K)=true) :- key(K).
grounding(overlaps(K)=true) :- key(K).
grounding(equal(K)=true) :- key(K).
grounding(after(K)=true) :- key(K).
grounding(met_by(K)=true) :- key(K).
grounding(started_by(K)=true) :- key(K).
grounding(finished_by(K)=true) :- key(K).
grounding(contains(K)=true) :- key(K).
grounding(overlapped_by(K)=true) :- key(K).
key(point_first).
key(point_last).
key(point_before).
key(same_point).
key(point_inside).
key(two_points).
