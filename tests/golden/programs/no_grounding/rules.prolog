% Nothing has a grounding: the domain is what input and background mention. ann works [4,9), bob only ever stops: he is
% mentioned, so he is free on [0,inf). cat is mentioned by the background, as a worker: free on [0,inf) too.
% ann is free on [0,4) and [9,inf).
initiatedAt(working(X)=true, T) :- happensAt(begin(X), T), worker(X).
terminatedAt(working(X)=true, T) :- happensAt(finish(X), T).
holdsFor(free(X)=true, I) :- holdsFor(working(X)=true, I1), complement_all([I1], I).
worker(ann).
worker(cat).
