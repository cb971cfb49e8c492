% a begins again when b ends, b begins when a ends. go at 1: a [2,6), stopped at 5; b [6,10), halted at 9; a [10,13),
% stopped at 12; b [13,16). At 15 both stop and halt: b ends, a is initiated and terminated at once: the break wins. All
% is quiet: a does not end, for it did not hold.
initiatedAt(a=true, T) :- happensAt(go, T).
initiatedAt(a=true, T) :- happensAt(end(b=true), T).
terminatedAt(a=true, T) :- happensAt(stop, T).
initiatedAt(b=true, T) :- happensAt(end(a=true), T).
terminatedAt(b=true, T) :- happensAt(halt, T).
