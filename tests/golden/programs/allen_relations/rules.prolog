% Thirteen relations, one pair of intervals for each, (s, t): every relation finds its own pair and no other. The source
% mode gives the interval of s. touching: [10,15) begins where [5,10) ends: meets. next_but_one: [5,9) and [10,15): before.
% one_shared: [5,11) and [10,15) share one time-point: overlaps.
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
key(before).
key(after).
key(touching).
key(next_but_one).
key(one_shared).
key(met_by).
key(starts).
key(started_by).
key(finishes).
key(finished_by).
key(during).
key(contains).
key(overlaps).
key(overlapped_by).
key(equal).
