initiatedAt(temperature(Sensor)=Value, T) :- happensAt(reading(Sensor, Value), T).
happensAt(jump(Sensor, Old, New), T) :-
    happensAt(reading(Sensor, New), T), holdsAt(temperature(Sensor)=Old, T), abs(New - Old) > 5.
