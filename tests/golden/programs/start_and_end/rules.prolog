% Simple: initiated at 4, again at 6 (no start), broken at 9, open since 20: starts at 4 and 20, ends at 9.
% Input: [6,12) starts at 5 and ends at 11; [0,3) would start at -1, before the run: no start; ends at 2.
% Static: either, [0,3) [5,12) [21,inf): starts at 4 and 20, ends at 2 and 11.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
collectIntervals(in(_)=true).
holdsFor(either(X)=true, I) :- holdsFor(on(X)=true, I1), holdsFor(in(X)=true, I2), union_all([I1, I2], I).
happensAt(starts(simple, X), T) :- happensAt(start(on(X)=true), T).
happensAt(ends(simple, X), T) :- happensAt(end(on(X)=true), T).
happensAt(starts(input, X), T) :- happensAt(start(in(X)=true), T).
happensAt(ends(input, X), T) :- happensAt(end(in(X)=true), T).
happensAt(starts(static, X), T) :- happensAt(start(either(X)=true), T).
happensAt(ends(static, X), T) :- happensAt(end(either(X)=true), T).
