% With a tick of 5: next(-10) = -5, prev(-10) = -15. Initiated at -10, broken at -5: [-5,0). in [-10,5) starts at -15 and
% ends at 0.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
collectIntervals(in(_)=true).
happensAt(enters(X), T) :- happensAt(start(in(X)=true), T).
happensAt(exits(X), T) :- happensAt(end(in(X)=true), T).
