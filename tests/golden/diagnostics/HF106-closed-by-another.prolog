holdsFor(both=true, I) :- holdsFor(a=true, I1), holdsFor(b=true, I2), union_all([I1, I2), I).
