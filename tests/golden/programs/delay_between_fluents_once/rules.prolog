% Without p the first initiation counts, also after its effect: red at 7 ([8,...)), green at 9 ([10,...)), and the
% re-initiation of the alarm at 10 changes nothing: no red at 15.
initiatedAt(alarm=true, T) :- happensAt(smoke, T).
initiatedAt(light=green, T) :- happensAt(test, T).
fi(alarm=true, light=red, 5).
