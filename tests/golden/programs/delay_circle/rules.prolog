% s1 -> s2 -> s3 -> s1, 2 after each other, from 0 on, until 12, the last time-point: s1 at 0, 6, 12: [1,3) [7,9) [13,inf);
% s2 at 2, 8: [3,5) [9,11); s3 at 4, 10: [5,7) [11,13).
initiatedAt(light=s1, T) :- happensAt(switch_on, T).
fi(light=s1, light=s2, 2).
fi(light=s2, light=s3, 2).
fi(light=s3, light=s1, 2).
