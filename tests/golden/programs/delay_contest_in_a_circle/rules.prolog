% a and b are initiated at 2: neither holds, both set up their effects, due at 7. Each would postpone the other; s=a comes
% first in the standard order, so it acts: a [8,...), and the effect of a is moved to 12: b [13,...), then a again at 17.
initiatedAt(s=a, T) :- happensAt(go, T).
initiatedAt(s=b, T) :- happensAt(go, T).
fi(s=a, s=b, 5).
fi(s=b, s=a, 5).
p(s=a).
p(s=b).
