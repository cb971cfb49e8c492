% hot: [3,6) [12,22) [25,inf). The query time is 30.
% first: the first interval. recent: not over for more than 10 at the query time: 30-6 = 24 is, 30-22 = 8 is not, an open
% one never is: [12,22) [25,inf).
initiatedAt(hot(X)=true, T) :- happensAt(heat(X), T).
terminatedAt(hot(X)=true, T) :- happensAt(cool(X), T).
holdsFor(first_heat(X)=true, I) :- holdsFor(hot(X)=true, I1), first_only(I1, I).
holdsFor(recent(X)=true, I) :- holdsFor(hot(X)=true, I1), recent(I1, I).
first_only([], []).
first_only([Interval|_], [Interval]).
recent([], []).
recent([(_, End)|More], Rest) :- over_long_ago(End), !, recent(More, Rest).
recent([Interval|More], [Interval|Rest]) :- recent(More, Rest).
over_long_ago(End) :- End \== inf, queryTime(Q), Q - End > 10.
