% The condition is tested when the effect is due. open since 2, due to close at 7, if nobody is in the door then.
% a: nobody: closed at 7: open [3,8). b: occupied on [5,9): not closed at 7: open [3,inf). c: occupied on [3,6) only: over
% by 7: closed at 7: open [3,8).
initiatedAt(door(X)=open, T) :- happensAt(push(X), T).
fi(door(X)=open, door(X)=closed, 5) :- not holdsAt(occupied(X)=true, T).
collectIntervals(occupied(_)=true).
