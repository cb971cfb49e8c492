% A join with a comparison is unfolded, with what it calls; what calls itself is proved.
initiatedAt(trusted(X)=true, T) :- happensAt(ask(X), T), reliable(X).
initiatedAt(related(X)=Y, T) :- happensAt(ask(X), T), ancestor(Y, X), senior(Y).
reliable(X) :- age(X, A), A >= 18, \+ banned(X).
reliable(X) :- guardian(Y, X), reliable_parent(Y).
reliable_parent(Y) :- age(Y, A), A > 30.
senior(Y) :- age(Y, A), A > 60.
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).
age(ann, 10). age(bob, 20). age(eve, 33). age(dan, 70).
banned(bob). banned(kit).
guardian(eve, ann). guardian(bob, ann).
parent(dan, eve). parent(eve, ann).
