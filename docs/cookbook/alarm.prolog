initiatedAt(silent(Sensor)=false, T) :- happensAt(report(Sensor), T).
fi(silent(Sensor)=false, silent(Sensor)=true, 600).
p(silent(_)=false).
