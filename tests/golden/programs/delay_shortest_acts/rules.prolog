% Of several delays the shortest acts: a at 2: c at 5 breaks a, so b at 7 is cancelled: a [3,6), c [6,inf).
% Equal delays to two values, x -> y and x -> z after 4: both at 6: neither holds, x ends: [3,7).
% A termination after 3 and a value after 5: ended at 5, the value is cancelled: u [3,6).
initiatedAt(s=a, T) :- happensAt(go, T).
fi(s=a, s=b, 5).
fi(s=a, s=c, 3).
initiatedAt(t=x, T) :- happensAt(go, T).
fi(t=x, t=y, 4).
fi(t=x, t=z, 4).
initiatedAt(w=u, T) :- happensAt(go, T).
ft(w=u, 3).
fi(w=u, w=v, 5).
