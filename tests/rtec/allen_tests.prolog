% Writes, for each of RTEC's tests of Allen's relations, the answer that is expected and the one that RTEC computes.
%
% The tests call `allen_relations/4` with the expected answer as its last argument. That steers the choice of clauses, and
% two of them pass although RTEC computes something else. Here the answer is computed first:
%
%     test(Name, Sources, Targets, Relation, Expected, Answer).
%
% usage: swipl allen_tests.prolog -- tests_allen.prolog

:- initialization(main, main).

main :-
    current_prolog_flag(argv, [File]),
    user:consult(File),
    setup_call_cleanup(open(File, read, Stream), write_tests(Stream), close(Stream)).

write_tests(Stream) :-
    repeat,
    read_term(Stream, Clause, []),
    (   Clause == end_of_file
    ->  !
    ;   Clause = (test(Name) :- allen_relations(Sources, Targets, Relation, Expected)),
        once(user:allen_relations(Sources, Targets, Relation, Answer)),
        format('~q.~n', [test(Name, Sources, Targets, Relation, Expected, Answer)]),
        fail
    ).
