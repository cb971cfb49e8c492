% Runs an application with RTEC's own scripts, and writes what RTEC knows at each query time.
%
% RTEC writes results without quotes, and only the part inside the window. Here its `printRecognitions/3` is replaced, so that
% every query time writes one line, whole intervals of output fluents and time-points of output events:
%
%     known(QueryTime, Window, [fvp(F=V, Intervals), …, event(E, Times), …]).
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
    findall(fvp(F=V, L), (user:outputEntity(F=V), user:holdsFor(F=V, L), L \== []), Fluents),
    findall(E-T, (user:outputEntity(E), E \= (_=_), user:happensAt(E, T)), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    findall(event(E, Ts), member(E-Ts, Groups), Events),
    append(Fluents, Events, Known),
    format(Stream, '~q.~n', [known(QueryTime, Window, Known)]).
