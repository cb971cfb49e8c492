initiatedAt(hot(Engine)=true, T) :- happensAt(temperature(Engine, Celsius), T), Celsius > 90.
terminatedAt(hot(Engine)=true, T) :- happensAt(temperature(Engine, Celsius), T), Celsius < 80.
