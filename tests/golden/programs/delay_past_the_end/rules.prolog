% The effect of 25+10 = 35 falls after the end of the run, 30: it waits: [26,inf). The one of 20+10 = 30 is due at the last
% time-point: [21,31).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
ft(on(_)=true, 10).
