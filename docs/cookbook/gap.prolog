initiatedAt(last_report(Sensor)=T, T) :- happensAt(report(Sensor), T).
holdsFor(gap(Sensor)=Since, I) :-
    holdsFor(last_report(Sensor)=Since, Between),
    intDurGreater(Between, 600, I).
