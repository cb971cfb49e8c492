% Open intervals compare as infinite (s, t): both_open [5,inf) [5,inf): equal. later_open [7,inf) [5,inf): finishes.
% earlier_open [5,inf) [7,inf): finished_by, not overlaps. into_open [5,10) [7,inf): overlaps. start_open [5,10) [5,inf):
% starts. meet_open [5,7) [7,inf): meets. before_open [5,6) [7,inf): before. in_open [9,12) [7,inf): during.
initiatedAt(s(K)=true, T) :- happensAt(s_on(K), T).
terminatedAt(s(K)=true, T) :- happensAt(s_off(K), T).
initiatedAt(t(K)=true, T) :- happensAt(t_on(K), T).
terminatedAt(t(K)=true, T) :- happensAt(t_off(K), T).
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
key(both_open).
key(later_open).
key(earlier_open).
key(into_open).
key(start_open).
key(meet_open).
key(before_open).
key(in_open).
