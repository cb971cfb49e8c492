initiatedAt(light(X)=green, T) :- happensAt(go(X), T).
fi(light(X)=green, light(X)=yellow, 20).
fi(light(Y)=green, light(Y)=red, 20).
