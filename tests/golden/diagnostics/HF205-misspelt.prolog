initiatedAt(f(X)=true, T) :- happenAt(on(X), T).
