% A motion: null -> proposed -> voting -> voted -> null, each step only from the one before. Proposed at 2, voted at 3 (no:
% it is proposed, not voting), seconded at 5, proposed again at 6 (no), closed at 9, declared at 12.
% null [0,3), proposed [3,6), voting [6,10), voted [10,13), null [13,inf).
initially(status(_)=null).
initiatedAt(status(M)=proposed, T) :- happensAt(propose(M), T), holdsAt(status(M)=null, T).
initiatedAt(status(M)=voting, T) :- happensAt(second(M), T), holdsAt(status(M)=proposed, T).
initiatedAt(status(M)=voted, T) :- happensAt(close_ballot(M), T), holdsAt(status(M)=voting, T).
initiatedAt(status(M)=null, T) :- happensAt(declare(M), T), holdsAt(status(M)=voted, T).
grounding(status(M)=S) :- motion(M), stage(S).
motion(m1).
stage(null).
stage(proposed).
stage(voting).
stage(voted).
