% a: on at 5, ended at 5+4 = 9: [6,10), afterwards no value. b: on at 5, off at 7, on at 8: the first delay is cancelled, the
% second ends it at 12: [6,8) [9,13). c: on at 5 and at 9, exactly when it ends: the break wins, and the initiation at 9,
% which starts nothing, is an initiation still: it would end c at 13, but there is nothing to end: [6,10).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
ft(on(_)=true, 4).
