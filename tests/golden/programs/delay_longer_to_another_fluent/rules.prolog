% f=a is terminated after 3, which cancels what would come after 5: g never has a value.
initiatedAt(f=a, T) :- happensAt(go, T).
ft(f=a, 3).
fi(f=a, g=c, 5).
