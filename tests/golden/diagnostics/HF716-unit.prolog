initiatedAt(fined(C)=true, T) :- happensAt(fine(C), T).
