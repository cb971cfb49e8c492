% Runs an application with RTEC's own scripts, and writes what RTEC knows at each query time.
%
% RTEC writes results without quotes, and only the part inside the window. Here its `printRecognitions/3` is replaced, so that
% every query time writes whole intervals of output fluents and time-points of output events, one answer in a line:
%
%     QueryTime <tab> Window <tab> fvp <tab> F=V <tab> Intervals
%     QueryTime <tab> Window <tab> event <tab> E <tab> Times
%
% usage: swipl example.prolog -- scripts application "[parameter=value, …]" answers

:- initialization(main, main).

main :-
    current_prolog_flag(argv, [Scripts, Application, Text, File]),
    term_to_atom(Parameters, Text),
    working_directory(_, Scripts),
    user:consult('continuousQueries.prolog'),
    abolish(user:printRecognitions/3),
    open(File, write, Stream, [encoding(utf8)]),
    assertz((user:printRecognitions(_, QueryTime, Window) :- example_known(Stream, QueryTime, Window))),
    user:continuousQueries(Application, Parameters),
    close(Stream).

example_known(Stream, QueryTime, Window) :-
    forall((user:outputEntity(F=V), user:holdsFor(F=V, L), L \== []), example_answer(Stream, QueryTime, Window, fvp, F=V, L)),
    findall(E-T, (user:outputEntity(E), E \= (_=_), user:happensAt(E, T)), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    forall(member(E-Ts, Groups), example_answer(Stream, QueryTime, Window, event, E, Ts)).

example_answer(Stream, QueryTime, Window, Kind, Entity, Times) :-
    format(Stream, '~d\t~d\t~w\t~q\t~q~n', [QueryTime, Window, Kind, Entity, Times]).
