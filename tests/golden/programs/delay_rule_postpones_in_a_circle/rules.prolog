% b at 2 is initiated again by the rule at 7, exactly when its effect is due: that moves to 12. b [3,13), a [13,18) and
% b again from 18 on.
initiatedAt(s=b, T) :- happensAt(go, T).
fi(s=a, s=b, 5).
fi(s=b, s=a, 5).
p(s=a).
p(s=b).
