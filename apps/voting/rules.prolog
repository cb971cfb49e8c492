% A voting protocol. A motion is proposed, seconded, voted upon and declared. Each step has a time limit, after which the
% procedure continues by a delayed effect.
%
%   null --propose--> proposed --second--> voting --close_ballot--> voted --declare--> null
%                        |                    `--------- too late ----^  |
%                        `------------------- too late ------------------`---> null
%
% The chairs and the time limits are in background.prolog. Power, permission and obligation belong to roles: every agent
% with the role has them.

% -- the procedure ----------------------------------------------------------------------------------------------------

initially(status(_)=null).

initiatedAt(status(M)=proposed, T) :-
    happensAt(propose(_, M), T),
    holdsAt(status(M)=null, T).

initiatedAt(status(M)=voting, T) :-
    happensAt(second(_, M), T),
    holdsAt(status(M)=proposed, T).

initiatedAt(status(M)=voted, T) :-
    happensAt(close_ballot(C, M), T),
    chair(C),
    holdsAt(status(M)=voting, T).

initiatedAt(status(M)=null, T) :-
    happensAt(declare(C, M, _), T),
    chair(C),
    holdsAt(status(M)=voted, T).

% A motion that is not seconded is dropped. Seconding at the deadline is in time.
fi(status(M)=proposed, status(M)=null, Limit) :-
    time_limit(second, Limit),
    not happensAt(second(_, M), T).

% A ballot closes at its deadline.
fi(status(M)=voting, status(M)=voted, Limit) :-
    time_limit(close_ballot, Limit).

% A result that is not declared lapses.
fi(status(M)=voted, status(M)=null, Limit) :-
    time_limit(declare, Limit).

% -- votes ------------------------------------------------------------------------------------------------------------
% The last vote counts; two different votes at once are invalid. Votes end with the procedure.

initiatedAt(voted(V, M)=Choice, T) :-
    happensAt(vote(V, M, Choice), T),
    holdsAt(status(M)=voting, T).

terminatedAt(voted(_, M)=_, T) :-
    happensAt(start(status(M)=null), T).

% The result, from the votes cast before the ballot closes.

initiatedAt(result(M)=carried, T) :-
    happensAt(start(status(M)=voted), T),
    aggregate_all(count, holdsAt(voted(_, M)=aye, T), Ayes),
    aggregate_all(count, holdsAt(voted(_, M)=nay, T), Nays),
    Ayes > Nays.

initiatedAt(result(M)=not_carried, T) :-
    happensAt(start(status(M)=voted), T),
    aggregate_all(count, holdsAt(voted(_, M)=aye, T), Ayes),
    aggregate_all(count, holdsAt(voted(_, M)=nay, T), Nays),
    Ayes =< Nays.

terminatedAt(result(M)=_, T) :-
    happensAt(end(status(M)=voted), T).

% The declaration of a chair, correct or not, until the motion is proposed again.

initiatedAt(outcome(M)=Outcome, T) :-
    happensAt(declare(C, M, Outcome), T),
    chair(C),
    holdsAt(status(M)=voted, T).

terminatedAt(outcome(M)=_, T) :-
    happensAt(start(status(M)=proposed), T).

% -- power ------------------------------------------------------------------------------------------------------------
% The times at which an act of a role has an effect.

holdsFor(power(member, propose(M))=true, I) :- holdsFor(status(M)=null, I).
holdsFor(power(member, second(M))=true, I) :- holdsFor(status(M)=proposed, I).
holdsFor(power(member, vote(M))=true, I) :- holdsFor(status(M)=voting, I).
holdsFor(power(chair, close_ballot(M))=true, I) :- holdsFor(status(M)=voting, I).
holdsFor(power(chair, declare(M))=true, I) :- holdsFor(status(M)=voted, I).

% -- permission and obligation ----------------------------------------------------------------------------------------
% Members need time to vote: a chair has the power to close a young ballot, but no permission.

initiatedAt(ballot(M)=young, T) :-
    happensAt(start(status(M)=voting), T).

fi(ballot(M)=young, ballot(M)=mature, Time) :-
    time_to_vote(Time).

terminatedAt(ballot(M)=_, T) :-
    happensAt(end(status(M)=voting), T).

holdsFor(permission(chair, close_ballot(M))=true, I) :-
    holdsFor(ballot(M)=mature, I).

% The chairs are obliged to declare the true result.

holdsFor(obligation(chair, declare(M, Result))=true, I) :-
    holdsFor(result(M)=Result, I).

% -- sanctions --------------------------------------------------------------------------------------------------------
% A chair that closes a ballot without permission, or declares a wrong result, is sanctioned for a time; another offence
% prolongs the sanction.

initiatedAt(sanctioned(C)=true, T) :-
    happensAt(close_ballot(C, M), T),
    chair(C),
    not holdsAt(ballot(M)=mature, T).

initiatedAt(sanctioned(C)=true, T) :-
    happensAt(declare(C, M, Outcome), T),
    chair(C),
    not holdsAt(result(M)=Outcome, T).

fi(sanctioned(C)=true, sanctioned(C)=false, Time) :-
    sanction_time(Time).

p(sanctioned(_)=true).

% Output event: the result was not declared.
happensAt(neglected(M), T) :-
    happensAt(end(status(M)=voted), T),
    not initiatedAt(outcome(M)=_, T).

% -- input and domains ------------------------------------------------------------------------------------------------

dynamicDomain(agent(_)).
dynamicDomain(motion(_)).

grounding(propose(Agent, M)) :- agent(Agent), motion(M).
grounding(second(Agent, M)) :- agent(Agent), motion(M).
grounding(vote(Agent, M, Choice)) :- agent(Agent), motion(M), choice(Choice).
grounding(close_ballot(Agent, M)) :- agent(Agent), motion(M).
grounding(declare(Agent, M, Outcome)) :- agent(Agent), motion(M), result(Outcome).

grounding(status(M)=Status) :- motion(M), status(Status).
grounding(voted(Agent, M)=Choice) :- agent(Agent), motion(M), choice(Choice).
grounding(result(M)=Result) :- motion(M), result(Result).
grounding(outcome(M)=Outcome) :- motion(M), result(Outcome).
grounding(power(member, propose(M))=true) :- motion(M).
grounding(power(member, second(M))=true) :- motion(M).
grounding(power(member, vote(M))=true) :- motion(M).
grounding(power(chair, close_ballot(M))=true) :- motion(M).
grounding(power(chair, declare(M))=true) :- motion(M).
grounding(ballot(M)=Age) :- motion(M), ballot_age(Age).
grounding(permission(chair, close_ballot(M))=true) :- motion(M).
grounding(obligation(chair, declare(M, Result))=true) :- motion(M), result(Result).
grounding(sanctioned(Agent)=Value) :- agent(Agent), chair(Agent), truth(Value).
grounding(neglected(M)) :- motion(M).

index(vote(_, M, _), M).
