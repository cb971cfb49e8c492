initiatedAt(order(Order)=paid, T) :- happensAt(paid(Order), T).
initiatedAt(order(Order)=shipped, T) :- happensAt(shipped(Order), T).
fi(order(Order)=paid, order(Order)=overdue, 48) :- not happensAt(shipped(Order), T).
