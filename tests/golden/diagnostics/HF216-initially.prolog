collectIntervals(on(_)=true).
holdsFor(dark(X)=true, I) :- holdsFor(on(X)=true, I1), complement_all([I1], I).
initially(dark(lamp)=true).
