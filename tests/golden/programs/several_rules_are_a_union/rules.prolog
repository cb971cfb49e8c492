% Rich [3,8) by the first rule, at the pub [8,12) by the second; the third finds nothing and takes nothing away: [3,12).
collectIntervals(rich(_)=true).
collectIntervals(at(_)=_).
holdsFor(happy(X)=true, I) :- holdsFor(rich(X)=true, I).
holdsFor(happy(X)=true, I) :- holdsFor(at(X)=pub, I).
holdsFor(happy(X)=true, I) :- holdsFor(rich(X)=true, I1), holdsFor(at(X)=home, I2), intersect_all([I1, I2], I).
