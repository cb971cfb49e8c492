initiatedAt(fine(Case)=open, T) :- happensAt(created(Case), T), not happensAt(payment(Case), T).
initiatedAt(fine(Case)=paid, T) :- happensAt(payment(Case), T).
fi(fine(Case)=open, fine(Case)=overdue, 60*days) :- not happensAt(payment(Case), T).
