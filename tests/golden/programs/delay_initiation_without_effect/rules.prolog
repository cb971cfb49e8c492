% v is initiated and terminated at 2: it never holds, but it was initiated, and v is not broken strictly between 2 and 7: w
% at 7: [8,inf).
initiatedAt(f(X)=v, T) :- happensAt(begin(X), T).
terminatedAt(f(X)=v, T) :- happensAt(cease(X), T).
fi(f(X)=v, f(X)=w, 5).
