% The immune response as feedback with delays (after the logical model of Kaufman, Urbain and Thomas): in a host, antigen
% activates helper cells, both activate B cells, all three produce antibody, and antibody removes the antigen.
%
%   helper = helper or antigen              bcell   = helper and (antigen or bcell)
%   antigen = antigen and not antibody      antibody = antigen and bcell and helper
%
% Every variable is present or absent. The cause of a change must last for the whole delay; the other conditions are
% tested at its end. Helper and B cells stay, so the second response is faster than the first. Two opposite effects at
% the same time cancel each other: the variable is then undetermined until its next change.

initially(antigen(_)=absent).
initially(helper(_)=absent).
initially(bcell(_)=absent).
initially(antibody(_)=absent).

initiatedAt(antigen(Host)=present, T) :-
    happensAt(inject(Host), T).

fi(antigen(Host)=present, helper(Host)=present, Delay) :-
    delay(helper, Delay).

% B cells need both; the later one starts the delay.

fi(helper(Host)=present, bcell(Host)=present, Delay) :-
    delay(bcell, Delay),
    holdsAt(antigen(Host)=present, T).

fi(antigen(Host)=present, bcell(Host)=present, Delay) :-
    delay(bcell, Delay),
    holdsAt(helper(Host)=present, T).

% There are no B cells without helper cells, so the rule does not test for helper cells.

fi(bcell(Host)=present, antibody(Host)=present, Delay) :-
    delay(antibody, Delay),
    holdsAt(antigen(Host)=present, T).

fi(antigen(Host)=present, antibody(Host)=present, Delay) :-
    delay(antibody, Delay),
    holdsAt(bcell(Host)=present, T).

fi(antigen(Host)=absent, antibody(Host)=absent, Delay) :-
    delay(decay, Delay).

% Antibody removes antigen; the later of the two starts the delay.

fi(antibody(Host)=present, antigen(Host)=absent, Delay) :-
    delay(clearance, Delay).

fi(antigen(Host)=present, antigen(Host)=absent, Delay) :-
    delay(clearance, Delay),
    holdsAt(antibody(Host)=present, T).

% In a host with a chronic infection the antigen returns repeatedly.

initiatedAt(chronic(Host)=true, T) :-
    happensAt(infect(Host), T).

terminatedAt(chronic(Host)=true, T) :-
    happensAt(cure(Host), T).

fi(antigen(Host)=absent, antigen(Host)=present, Delay) :-
    delay(relapse, Delay),
    holdsAt(chronic(Host)=true, T).

% -- input and domains ------------------------------------------------------------------------------------------------

dynamicDomain(host(_)).

grounding(inject(Host)) :- host(Host).
grounding(infect(Host)) :- host(Host).
grounding(cure(Host)) :- host(Host).
grounding(antigen(Host)=Value) :- host(Host), presence(Value).
grounding(helper(Host)=Value) :- host(Host), presence(Value).
grounding(bcell(Host)=Value) :- host(Host), presence(Value).
grounding(antibody(Host)=Value) :- host(Host), presence(Value).
grounding(chronic(Host)=true) :- host(Host).
