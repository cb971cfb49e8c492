% A light that a button turns on and off: what a press does depends on what the presses before it did.

initially(light(_)=off).

initiatedAt(light(X)=on, T) :-
    happensAt(press(X), T),
    holdsAt(light(X)=off, T).

initiatedAt(light(X)=off, T) :-
    happensAt(press(X), T),
    holdsAt(light(X)=on, T).
