% The delay is computed: parcels wait 3, letters 2*4 = 8. parcel p: [3,6), letter l: [3,11). A kind without a delay waits
% for ever: [3,inf).
initiatedAt(waiting(X)=true, T) :- happensAt(arrive(X), T).
ft(waiting(X)=true, R) :- kind(X, parcel), patience(parcel, R).
ft(waiting(X)=true, R) :- kind(X, letter), patience(letter, P), R is 2*P.
kind(p, parcel).
kind(l, letter).
kind(c, crate).
patience(parcel, 3).
patience(letter, 4).
