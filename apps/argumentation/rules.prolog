% A bounded argumentation game: a proponent defends a topic against an opponent, in turns and for a number of rounds.
% A turn ends when the player passes or its time has elapsed. The game ends after the last round; the proponent has won
% if the proponent is still committed to the topic.
%
%   begin(G, Topic)   claim(G, Player, P)   deny(G, Player, P)   justify(G, Player, P, Reason)
%   concede(G, Player, P)   retract(G, Player, P)   pass(G, Player)
%
% Moves out of turn have no effect. Times and the number of rounds are in background.prolog.

% -- turns and rounds -------------------------------------------------------------------------------------------------

initiatedAt(turn(G)=proponent, T) :-
    happensAt(begin(G, _), T),
    not holdsAt(turn(G)=proponent, T),
    not holdsAt(turn(G)=opponent, T).

initiatedAt(turn(G)=opponent, T) :-
    happensAt(pass(G, proponent), T),
    holdsAt(turn(G)=proponent, T).

initiatedAt(turn(G)=proponent, T) :-
    happensAt(pass(G, opponent), T),
    holdsAt(turn(G)=opponent, T),
    holdsAt(round(G)=N, T),
    rounds(Last),
    N < Last.

initiatedAt(turn(G)=over, T) :-
    happensAt(pass(G, opponent), T),
    holdsAt(turn(G)=opponent, T),
    holdsAt(round(G)=N, T),
    rounds(Last),
    N >= Last.

fi(turn(G)=proponent, turn(G)=opponent, Time) :-
    time_of_turn(Time).

% At the end of the opponent's time a condition decides whether there is another round.

fi(turn(G)=opponent, turn(G)=proponent, Time) :-
    time_of_turn(Time),
    holdsAt(round(G)=N, T),
    rounds(Last),
    N < Last.

fi(turn(G)=opponent, turn(G)=over, Time) :-
    time_of_turn(Time),
    holdsAt(round(G)=N, T),
    rounds(Last),
    N >= Last.

% A round begins with each turn of the proponent.

initiatedAt(round(G)=1, T) :-
    happensAt(start(turn(G)=proponent), T),
    not holdsAt(round(G)=_, T).

initiatedAt(round(G)=N, T) :-
    happensAt(start(turn(G)=proponent), T),
    holdsAt(round(G)=Before, T),
    N is Before + 1.

terminatedAt(round(G)=_, T) :-
    happensAt(start(turn(G)=over), T).

% -- commitments ------------------------------------------------------------------------------------------------------

initiatedAt(topic(G)=Topic, T) :-
    happensAt(begin(G, Topic), T),
    initiatedAt(turn(G)=proponent, T).

initiatedAt(stands_by(G, Player, P)=true, T) :-
    happensAt(claim(G, Player, P), T),
    holdsAt(turn(G)=Player, T).

initiatedAt(stands_by(G, Player, P)=true, T) :-
    happensAt(concede(G, Player, P), T),
    holdsAt(turn(G)=Player, T).

terminatedAt(stands_by(G, Player, P)=true, T) :-
    happensAt(retract(G, Player, P), T),
    holdsAt(turn(G)=Player, T).

% A challenged player without a reason in time loses the commitment.
terminatedAt(stands_by(G, Player, P)=true, T) :-
    happensAt(start(burden(G, Player, P)=failed), T).

% A new game resets all commitments.
terminatedAt(stands_by(G, _, _)=true, T) :-
    happensAt(begin(G, _), T),
    initiatedAt(turn(G)=proponent, T).

terminatedAt(burden(G, _, _)=_, T) :-
    happensAt(begin(G, _), T),
    initiatedAt(turn(G)=proponent, T).

% -- the burden of proof ----------------------------------------------------------------------------------------------
% A denial of a commitment puts the burden of proof on the other player. A reason lifts the burden; it also ends with the
% claim, with the denial (a player that concedes no longer denies), and with the game.

initiatedAt(burden(G, Player, P)=open, T) :-
    happensAt(deny(G, Other, P), T),
    holdsAt(turn(G)=Other, T),
    adversaries(Other, Player),
    holdsAt(stands_by(G, Player, P)=true, T).

initiatedAt(burden(G, Player, P)=met, T) :-
    happensAt(justify(G, Player, P, _), T),
    holdsAt(turn(G)=Player, T),
    holdsAt(burden(G, Player, P)=open, T).

terminatedAt(burden(G, Player, P)=open, T) :-
    happensAt(relieved(G, Player, P), T).

terminatedAt(burden(G, _, _)=open, T) :-
    happensAt(start(turn(G)=over), T).

fi(burden(G, Player, P)=open, burden(G, Player, P)=failed, Time) :-
    time_to_justify(Time),
    not initiatedAt(burden(G, Player, P)=met, T),
    not happensAt(relieved(G, Player, P), T),
    not happensAt(start(turn(G)=over), T).

happensAt(relieved(G, Player, P), T) :-
    happensAt(retract(G, Player, P), T),
    holdsAt(turn(G)=Player, T).

happensAt(relieved(G, Player, P), T) :-
    happensAt(concede(G, Other, P), T),
    holdsAt(turn(G)=Other, T),
    adversaries(Other, Player).

% -- the end ----------------------------------------------------------------------------------------------------------

initiatedAt(winner(G)=proponent, T) :-
    happensAt(start(turn(G)=over), T),
    holdsAt(topic(G)=Topic, T),
    holdsAt(stands_by(G, proponent, Topic)=true, T).

initiatedAt(winner(G)=opponent, T) :-
    happensAt(start(turn(G)=over), T),
    holdsAt(topic(G)=Topic, T),
    not holdsAt(stands_by(G, proponent, Topic)=true, T).

terminatedAt(winner(G)=_, T) :-
    happensAt(end(turn(G)=over), T).

holdsFor(power(Player, speak(G))=true, I) :-
    player(Player),
    holdsFor(turn(G)=Player, I).

% -- input and domains ------------------------------------------------------------------------------------------------

dynamicDomain(game(_)).
dynamicDomain(statement(_, _)).

grounding(begin(G, Topic)) :- game(G), statement(G, Topic).
grounding(pass(G, Player)) :- game(G), player(Player).
grounding(claim(G, Player, P)) :- statement(G, P), player(Player).
grounding(concede(G, Player, P)) :- statement(G, P), player(Player).
grounding(retract(G, Player, P)) :- statement(G, P), player(Player).
grounding(deny(G, Player, P)) :- statement(G, P), player(Player).
grounding(justify(G, Player, P, _)) :- statement(G, P), player(Player).

grounding(turn(G)=proponent) :- game(G).
grounding(turn(G)=opponent) :- game(G).
grounding(turn(G)=over) :- game(G).
grounding(topic(G)=Topic) :- statement(G, Topic).
grounding(stands_by(G, Player, P)=true) :- statement(G, P), player(Player).
grounding(burden(G, Player, P)=Value) :- statement(G, P), player(Player), burden(Value).
grounding(relieved(G, Player, P)) :- statement(G, P), player(Player).
grounding(winner(G)=Player) :- game(G), player(Player).
grounding(power(Player, speak(G))=true) :- game(G), player(Player).

index(turn(G)=proponent, G).
