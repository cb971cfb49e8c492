initiatedAt(asked(X)=true, T) :- happensAt(ask(X), T).
fi(asked(X)=true, asked(X)=false, 5) :- not happensAt(answer(X), T).
