collectIntervals(in(_)=true).
holdsFor(first(X)=true, I) :- holdsFor(in(X)=true, I1), starts_of(I1, I).
starts_of([], []).
starts_of([(S, _)|More], [S|Rest]) :- starts_of(More, Rest).
grounding(first(X)=true) :- room(X).
room(a).
