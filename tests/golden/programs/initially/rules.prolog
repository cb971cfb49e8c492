% lamp holds from 0, the first time-point, and is switched off at 5: [0,6). That is a state, not an initiation: no start
% event, and no delayed effect, or it would end at 3. Switched on at 10 it starts (lit at 10) and the delay of 3 ends it
% at 13: [11,14).
% heater holds from 0; the initiation at 2 sets up the delay, which ends it at 5: [0,6). Its interval starts before
% the run: no start event.
initially(on(lamp)=true).
initially(on(heater)=true).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
ft(on(_)=true, 3).
happensAt(lit(X), T) :- happensAt(start(on(X)=true), T).
happensAt(dark(X), T) :- happensAt(end(on(X)=true), T).
