% The run starts at 10. a holds at 10 and is terminated at 10: [10,11), it ends at 10.
% b is red at 10 and green is initiated at 10: red [10,11), green [11,inf).
% c is switched off at 9, before the run: that is no event of the run, c holds on: [10,inf).
initially(on(a)=true).
initially(on(c)=true).
initially(colour(b)=red).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
initiatedAt(colour(X)=C, T) :- happensAt(paint(X, C), T).
happensAt(dark(X), T) :- happensAt(end(on(X)=true), T).
