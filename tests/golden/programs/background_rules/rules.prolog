% Background knowledge proves what rules ask: ann is a grandparent of cat, by a recursive rule an ancestor of dan.
% Told at 3 by cat: her ancestors ann and bob are proud [4,inf); at 5 by dan: his are ann, bob and cat.
initiatedAt(proud(X)=true, T) :- happensAt(success(Y), T), ancestor(X, Y).
happensAt(old_pride(X), T) :- happensAt(success(Y), T), ancestor(X, Y), \+ parent(X, Y).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).
parent(ann, bob).
parent(bob, cat).
parent(cat, dan).
