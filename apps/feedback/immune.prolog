% The immune response as feedback with delays (after the logical model of Kaufman, Urbain and Thomas): in a host, antigen
% calls up helper cells, both call up B cells, all three make antibody, and antibody does away with the antigen.
%
%   helper = helper or antigen              bcell   = helper and (antigen or bcell)
%   antigen = antigen and not antibody      antibody = antigen and bcell and helper
%
% Every variable is present or absent. What makes a variable change must last for the whole delay; what else it takes is
% tested when the delay is over. Helper and B cells stay: the second response is faster than the first. Of two opposite
% effects at the same time neither takes place: the variable is then undetermined until its next change.

initially(antigen(_)=absent).
initially(helper(_)=absent).
initially(bcell(_)=absent).
initially(antibody(_)=absent).

initiatedAt(antigen(Host)=present, T) :-
    happensAt(inject(Host), T).

fi(antigen(Host)=present, helper(Host)=present, Delay) :-
    delay(helper, Delay).

% B cells need both, whichever comes last.

fi(helper(Host)=present, bcell(Host)=present, Delay) :-
    delay(bcell, Delay),
    holdsAt(antigen(Host)=present, T).

fi(antigen(Host)=present, bcell(Host)=present, Delay) :-
    delay(bcell, Delay),
    holdsAt(helper(Host)=present, T).

% There are no B cells without helper cells, so these need not be asked for.

fi(bcell(Host)=present, antibody(Host)=present, Delay) :-
    delay(antibody, Delay),
    holdsAt(antigen(Host)=present, T).

fi(antigen(Host)=present, antibody(Host)=present, Delay) :-
    delay(antibody, Delay),
    holdsAt(bcell(Host)=present, T).

fi(antigen(Host)=absent, antibody(Host)=absent, Delay) :-
    delay(decay, Delay).

% Antibody meets antigen, or antigen meets antibody.

fi(antibody(Host)=present, antigen(Host)=absent, Delay) :-
    delay(clearance, Delay).

fi(antigen(Host)=present, antigen(Host)=absent, Delay) :-
    delay(clearance, Delay),
    holdsAt(antibody(Host)=present, T).

% In a host with a chronic infection the antigen comes back, again and again.

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
