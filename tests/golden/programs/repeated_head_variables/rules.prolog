% A pair of the same place twice, and any pair: both kinds of heads are about one fluent.
% link(h,p) is initiated at 3, so it holds from 4; link(a,a) at 5, from 6, until cut at 9.
initiatedAt(link(X, X)=own, T) :- happensAt(loop(X), T).
initiatedAt(link(Y, X)=far, T) :- happensAt(tie(X, Y), T).
terminatedAt(link(X, X)=_, T) :- happensAt(cut(X), T).
