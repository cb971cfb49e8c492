% The run is from 10 to 20, both included. Records at 10 and at 20 belong to it, those at 9 and 21 do not.
% a: on at 10, off at 20: [11,21). b: on at 20: [21,inf). c: on at 9 (before the run): nothing. d: on at 12, off at 21
% (after the run): [13,inf). Input at 10: [10,15) has no start in the run, ends at 14; [11,14) starts at 10, ends at 13.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
collectIntervals(in(_)=true).
happensAt(starts(X), T) :- happensAt(start(in(X)=true), T).
happensAt(ends(X), T) :- happensAt(end(in(X)=true), T).
happensAt(click(X), T) :- happensAt(switch_on(X), T).
