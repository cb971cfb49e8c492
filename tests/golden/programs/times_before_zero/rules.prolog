% The run is from -20 to 10. a: initially on from -20, off at -15: [-20,-14). On at -3, off at 2: [-2,3).
% in: [-10,-5) starts at -11, ends at -6. Delay of 4 set up at -2: due at 2: [-1,3).
initially(on(a)=true).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
collectIntervals(in(_)=true).
initiatedAt(busy(X)=true, T) :- happensAt(work(X), T).
ft(busy(_)=true, 4).
happensAt(enters(X), T) :- happensAt(start(in(X)=true), T).
happensAt(exits(X), T) :- happensAt(end(in(X)=true), T).
