% Who owns the order says how long it may stay open, and whether it is paid for when that time has come. o1 of ann (5) is
% due at 7, not paid: overdue [8,inf). o2 of bob (3) is due at 5, when bob has paid (at 4, so from 5 on): the effect is
% lost, and o2 stays open.
initiatedAt(order(X)=open, T) :- happensAt(place(X), T).
initiatedAt(paid(P)=true, T) :- happensAt(pay(P), T).
fi(order(X)=open, order(X)=overdue, R) :- owner(X, P), patience(P, R), not holdsAt(paid(P)=true, T).
owner(o1, ann).
owner(o2, bob).
patience(ann, 5).
patience(bob, 3).
