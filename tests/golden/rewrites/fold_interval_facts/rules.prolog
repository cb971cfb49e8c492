% The bound of a duration is a fact; so is a test without variables.
holdsFor(long_call(X)=true, I) :-
    holdsFor(calling(X)=true, I1), longer_than(Least), enabled(calls), intDurGreater(I1, Least, I).
initiatedAt(calling(X)=true, T) :- happensAt(ring(X), T).
terminatedAt(calling(X)=true, T) :- happensAt(hang_up(X), T).
longer_than(5).
enabled(calls).
