happensAt(signal(X), T) :- happensAt(paint(X, _), T).
