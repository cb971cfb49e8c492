% Activities in surveillance video: persons, ids that are close to each other, objects left behind, and pairs that meet,
% walk together or fight. There is a frame every 40 ms: run with `--tick 40`.
%
% The tracker reports, at every frame, one position `coord(Id,X,Y)=true` and one kind of movement per visible id, as
% fluents at time-points. Ids are reused after they have disappeared.
%
% `close` must hold at exactly the frames where the distance is small enough. An initiation takes effect at the next
% frame, so a simple fluent would have to look one frame ahead, through `start` and `end` of the positions, for every way
% in which two ids can move or stay. A position is already a fluent: two ids are close while one id has one position, the
% other id has another, and the two positions are near each other. So `close` is statically determined: the common
% time-points of two near positions, and the union over all positions. `A @< B` keeps one order of every pair.

holdsFor(close(A, B, Limit)=true, I) :-
    holdsFor(coord(A, XA, YA)=true, IA),
    holdsFor(coord(B, XB, YB)=true, IB),
    A @< B,
    Distance is sqrt((XA - XB)**2 + (YA - YB)**2),
    reach(Limit),
    Distance =< Limit,
    intersect_all([IA, IB], I).

% -- persons and things -----------------------------------------------------------------------------------------------
% An id that moves is a person until it leaves the picture. `appear` detects an id that is moving when it appears: the
% movement fluent may have started before, for another owner of the id.

initiatedAt(person(P)=true, T) :- happensAt(start(walking(P)=true), T).
initiatedAt(person(P)=true, T) :- happensAt(start(running(P)=true), T).
initiatedAt(person(P)=true, T) :- happensAt(start(active(P)=true), T).
initiatedAt(person(P)=true, T) :- happensAt(start(abrupt(P)=true), T).

initiatedAt(person(P)=true, T) :-
    happensAt(appear(P), T),
    not holdsAt(inactive(P)=true, T).

terminatedAt(person(P)=true, T) :- happensAt(disappear(P), T).

% A still object that appears next to a person was left by this person. The object is removed when it disappears, and it
% is not an object if it begins to move.

initiatedAt(leaving_object(P, Thing)=true, T) :-
    happensAt(appear(Thing), T),
    holdsAt(inactive(Thing)=true, T),
    holdsAt(close(P, Thing, 30)=true, T),
    holdsAt(person(P)=true, T).

initiatedAt(leaving_object(P, Thing)=true, T) :-
    happensAt(appear(Thing), T),
    holdsAt(inactive(Thing)=true, T),
    holdsAt(close(Thing, P, 30)=true, T),
    holdsAt(person(P)=true, T).

terminatedAt(leaving_object(_, Thing)=true, T) :- happensAt(disappear(Thing), T).
terminatedAt(leaving_object(_, Thing)=true, T) :- happensAt(start(person(Thing)=true), T).

% -- two persons ------------------------------------------------------------------------------------------------------
% Meeting: side by side, at least one of them standing, neither running.

holdsFor(standing(P)=true, I) :-
    holdsFor(active(P)=true, Active),
    holdsFor(inactive(P)=true, Inactive),
    union_all([Active, Inactive], Still),
    holdsFor(person(P)=true, Person),
    intersect_all([Still, Person], I).

holdsFor(hurrying(P)=true, I) :-
    holdsFor(running(P)=true, Running),
    holdsFor(abrupt(P)=true, Abrupt),
    union_all([Running, Abrupt], I).

holdsFor(meeting(A, B)=true, I) :-
    holdsFor(close(A, B, 25)=true, Close),
    holdsFor(person(A)=true, PersonA),
    holdsFor(person(B)=true, PersonB),
    holdsFor(standing(A)=true, StandingA),
    holdsFor(standing(B)=true, StandingB),
    union_all([StandingA, StandingB], Standing),
    intersect_all([Close, PersonA, PersonB, Standing], Together),
    holdsFor(hurrying(A)=true, HurryingA),
    holdsFor(hurrying(B)=true, HurryingB),
    relative_complement_all(Together, [HurryingA, HurryingB], I).

% Moving: both are walking, not far from each other.

holdsFor(moving(A, B)=true, I) :-
    holdsFor(close(A, B, 34)=true, Close),
    holdsFor(walking(A)=true, WalkingA),
    holdsFor(walking(B)=true, WalkingB),
    intersect_all([Close, WalkingA, WalkingB], I).

% Fighting: at arm's length, one of them abrupt, neither passive.

holdsFor(fighting(A, B)=true, I) :-
    holdsFor(close(A, B, 24)=true, Close),
    holdsFor(abrupt(A)=true, AbruptA),
    holdsFor(abrupt(B)=true, AbruptB),
    union_all([AbruptA, AbruptB], Abrupt),
    intersect_all([Close, Abrupt], Struggle),
    holdsFor(inactive(A)=true, InactiveA),
    holdsFor(inactive(B)=true, InactiveB),
    relative_complement_all(Struggle, [InactiveA, InactiveB], I).

% -- input and domains ------------------------------------------------------------------------------------------------
% Ids occur in `appear` and in movements; a pair is written in the order of its ids.

points(coord(_, _, _)=true).
points(walking(_)=true).
points(running(_)=true).
points(active(_)=true).
points(inactive(_)=true).
points(abrupt(_)=true).

dynamicDomain(position(_, _, _)).
dynamicDomain(id(_)).

grounding(coord(Id, X, Y)=true) :- position(Id, X, Y).
grounding(appear(Id)) :- id(Id).
grounding(disappear(Id)) :- id(Id).
grounding(walking(Id)=true) :- id(Id).
grounding(running(Id)=true) :- id(Id).
grounding(active(Id)=true) :- id(Id).
grounding(inactive(Id)=true) :- id(Id).
grounding(abrupt(Id)=true) :- id(Id).

grounding(person(Id)=true) :- id(Id).
grounding(standing(Id)=true) :- id(Id).
grounding(hurrying(Id)=true) :- id(Id).
grounding(close(A, B, Limit)=true) :- id(A), id(B), A @< B, reach(Limit).
grounding(leaving_object(P, Thing)=true) :- id(P), id(Thing), P \== Thing.
grounding(meeting(A, B)=true) :- id(A), id(B), A @< B.
grounding(moving(A, B)=true) :- id(A), id(B), A @< B.
grounding(fighting(A, B)=true) :- id(A), id(B), A @< B.

index(coord(Id, _, _)=true, Id).
