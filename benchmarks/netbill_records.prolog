% Writes the messages of RTEC's generator of NetBill, which is written for YAP, under SWI-Prolog.
%
% usage: swipl netbill_records.prolog -- generator file start end agents seed

:- initialization(main, main).
:- dynamic person/1.

srandom(Seed) :- set_random(seed(Seed)).

number_atom(Number, Atom) :- atom_number(Atom, Number).

main :-
    current_prolog_flag(argv, [Generator, File | Numbers]),
    maplist([Atom, Number]>>atom_number(Atom, Number), Numbers, [Start, End, Agents, Seed]),
    user:consult(Generator),
    abolish(user:openFile/3),
    assertz((user:openFile(_, _, Stream) :- open(File, write, Stream))),
    user:createNarrative(Start, End, Agents, Seed).
