initiatedAt(comm(V)=on, T) :- happensAt(signal(V), T).
p(comm(V)=on).
ft(comm(V)=on, 10).
collectIntervals(near(V,W)=true).
holdsFor(busy(V)=true, I) :- holdsFor(comm(V)=on, I1), holdsFor(near(V,V)=true, I2), intersect_all([I1,I2], I).
