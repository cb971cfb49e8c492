% A bacterium infected by a temperate phage, as feedback with delays (after the logical models of lambda by Thieffry and
% Thomas). Four proteins of the phage regulate each other: N starts cII, cII starts cI, and cI and Cro repress each
% other and everything else. If cI prevails, the phage is dormant; if Cro prevails, the cell dies. cII lasts long enough
% to start cI only in a starving cell.
%
%   n  = not ci and not cro        cii = n and not ci and not cro
%   ci = cii in a starving cell    cro = not ci and not (enough) cro
%
% A protein is present or absent. The cause of a change must last for the whole delay; the other conditions are tested at
% its end. Two opposite effects at the same time cancel each other: the protein is then undetermined until its next
% change.

initially(protein(_, _)=absent).

initiatedAt(phage(Cell)=true, T) :-
    happensAt(enter(Cell), T).

terminatedAt(phage(Cell)=true, T) :-
    happensAt(divide(Cell), T).

initiatedAt(starving(Cell)=true, T) :-
    happensAt(starve(Cell), T).

terminatedAt(starving(Cell)=true, T) :-
    happensAt(feed(Cell), T).

% -- activation -------------------------------------------------------------------------------------------------------

fi(phage(Cell)=true, protein(Cell, n)=present, Delay) :-
    delay(n, Delay),
    not holdsAt(protein(Cell, ci)=present, T),
    not holdsAt(protein(Cell, cro)=present, T).

fi(protein(Cell, n)=present, protein(Cell, cii)=present, Delay) :-
    delay(cii, Delay),
    not holdsAt(protein(Cell, ci)=present, T),
    not holdsAt(protein(Cell, cro)=present, T).

fi(protein(Cell, cii)=present, protein(Cell, ci)=present, Delay) :-
    delay(ci, Delay),
    holdsAt(starving(Cell)=true, T).

fi(phage(Cell)=true, protein(Cell, cro)=present, Delay) :-
    delay(cro, Delay),
    not holdsAt(protein(Cell, ci)=present, T).

% -- repression -------------------------------------------------------------------------------------------------------

fi(protein(Cell, ci)=present, protein(Cell, Other)=absent, Delay) :-
    represses(ci, Other, Delay).

fi(protein(Cell, cro)=present, protein(Cell, Other)=absent, Delay) :-
    represses(cro, Other, Delay).

% Cro represses itself, and returns when it is absent: without other causes Cro oscillates for ever.
fi(protein(Cell, cro)=absent, protein(Cell, cro)=present, Delay) :-
    delay(cro, Delay),
    holdsAt(phage(Cell)=true, T),
    not holdsAt(protein(Cell, ci)=present, T).

% Ultraviolet light destroys cI and activates a dormant phage.

initiatedAt(protein(Cell, ci)=absent, T) :-
    happensAt(irradiate(Cell), T),
    holdsAt(protein(Cell, ci)=present, T).

fi(protein(Cell, ci)=absent, protein(Cell, cro)=present, Delay) :-
    delay(cro, Delay),
    holdsAt(phage(Cell)=true, T).

% -- input and domains ------------------------------------------------------------------------------------------------

dynamicDomain(cell(_)).

grounding(enter(Cell)) :- cell(Cell).
grounding(divide(Cell)) :- cell(Cell).
grounding(starve(Cell)) :- cell(Cell).
grounding(feed(Cell)) :- cell(Cell).
grounding(irradiate(Cell)) :- cell(Cell).
grounding(phage(Cell)=true) :- cell(Cell).
grounding(starving(Cell)=true) :- cell(Cell).
grounding(protein(Cell, Name)=Value) :- cell(Cell), protein(Name), presence(Value).
