initiatedAt(fined(C)=true, T) :- happensAt(fine(C), T).
fi(fined(C)=true, fined(C)=overdue, 60*days).
