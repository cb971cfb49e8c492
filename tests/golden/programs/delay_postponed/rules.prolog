% a: on at 5 and 8, R = 4, postponable: the effect moves from 9 to 12: [6,13). b: re-initiated exactly at the deadline,
% 9: postponed to 13: [6,14). c: re-initiated one after the deadline, at 10: ended at 9, begins again: [6,10) [11,15).
% d: re-initiated at 8 and 11: 9 -> 12 -> 15: [6,16).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
ft(on(_)=true, 4).
p(on(_)=true).
