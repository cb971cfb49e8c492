% One fact says how fast is fast, one who may be: both become constants. Two facts say which zone is which.
initiatedAt(fast(Car)=Zone, T) :-
    happensAt(speed(Car, Speed, Street), T), limit(fast, Least), Speed >= Least, zone(Street, Zone).
terminatedAt(fast(Car)=_, T) :- happensAt(speed(Car, Speed, _), T), limit(fast, Least), Speed < Least.
initiatedAt(noted(Car)=true, T) :- happensAt(speed(Car, _, _), T), police(Car).
limit(fast, 50).
zone(high_street, town).
zone(mountain_road, country).
police(car7).
