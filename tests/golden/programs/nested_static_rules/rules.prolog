% moving [3,12) and [15,20); near [10,18). escorted = moving and near: [10,12) [15,18). alone = moving, not escorted:
% [3,10) [18,20). watched = alone or resting [20,25): [3,10) [18,25), for [18,20) and [20,25) touch.
collectIntervals(moving(_)=true).
collectIntervals(near(_)=true).
collectIntervals(resting(_)=true).
holdsFor(watched(X)=true, I) :-
    holdsFor(alone(X)=true, I1), holdsFor(resting(X)=true, I2), union_all([I1, I2], I).
holdsFor(alone(X)=true, I) :-
    holdsFor(moving(X)=true, I1), holdsFor(escorted(X)=true, I2), relative_complement_all(I1, [I2], I).
holdsFor(escorted(X)=true, I) :-
    holdsFor(moving(X)=true, I1), holdsFor(near(X)=true, I2), intersect_all([I1, I2], I).
