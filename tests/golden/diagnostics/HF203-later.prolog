happensAt(overdue(O), T + 48) :- happensAt(paid(O), T).
