person(chris).

place(home).
place(pub).
place(work).
