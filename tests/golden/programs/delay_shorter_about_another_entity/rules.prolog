% The shorter effect initiates f(2,1), which does not break f(1,2): both act, at 5 and at 7.
initiatedAt(f(X,Y)=a, T) :- happensAt(go(X,Y), T).
fi(f(X,Y)=a, f(Y,X)=b, 3).
fi(f(X,Y)=a, g=c, 5).
