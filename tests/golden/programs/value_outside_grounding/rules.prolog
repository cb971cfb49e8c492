% Only very_warm is asked for. Initiated at 3, broken at 8 by warm, which nobody asked for: [4,9). Again at 12, broken at
% 20 by normal: [13,21). warm is never derived, so check at 10 finds no warm bus and the fan stays off.
initiatedAt(temperature(B)=V, T) :- happensAt(measure(B, V), T).
initiatedAt(fan(B)=on, T) :- happensAt(check(B), T), holdsAt(temperature(B)=warm, T).
terminatedAt(fan(B)=on, T) :- happensAt(stop(B), T).
grounding(temperature(B)=very_warm) :- bus(B).
grounding(fan(B)=on) :- bus(B).
bus(b1).
