% No grounding: motions are what the input mentions. m1 and m2 are null at first; m1 proposed at 5: null [0,6), m2 [0,inf)
% (only withdrawn, which has no effect here on null).
initially(status(_)=null).
initiatedAt(status(M)=proposed, T) :- happensAt(propose(M), T), holdsAt(status(M)=null, T).
terminatedAt(status(M)=proposed, T) :- happensAt(withdraw(M), T).
