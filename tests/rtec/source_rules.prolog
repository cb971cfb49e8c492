% Turns the compiled clauses of RTEC's unit tests back into source rules.
%
% RTEC's compiler replaces every condition by the predicate that finds it in RTEC's caches, adds the index of the entity as
% an argument, and bounds each time-point by the window:
%
%     initiatedAt(shappy(X)=true, T1, T, T2) :-
%         happensAtProcessedSDFluent(X, startI(happy(X)=true), T), T1=<T, T<T2.
%
% The unit tests come with compiled clauses only. This script reads such a file and writes the rules as a user writes them:
%
%     initiatedAt(shappy(X)=true, T) :- happensAt(startI(happy(X)=true), T).
%
% usage: swipl source_rules.prolog -- compiled.prolog … > rules.prolog

:- initialization(main, main).

main :-
    current_prolog_flag(argv, Files),
    forall(member(File, Files), write_source(File)).

write_source(File) :-
    setup_call_cleanup(open(File, read, Stream), write_clauses(Stream), close(Stream)).

write_clauses(Stream) :-
    repeat,
    read_term(Stream, Clause, []),
    (   Clause == end_of_file
    ->  !
    ;   forall(source(Clause, Source), portray_clause(Source)),
        fail
    ).

% -- clauses ----------------------------------------------------------------------------------------------------------

source((:- _), _) :- !, fail.
source((Head :- Body), Source) :- !, source_rule(Head, Body, Source).
source(Head, Source) :- source_rule(Head, true, Source).

source_rule(Head, _, _) :- is_compiler_output(Head), !, fail.
% `initially` in its old spelling stays as it is: it is source already.
source_rule(initiatedAt(FVP, T1, T, T2), Body, (initiatedAt(FVP, T1, T, T2) :- Body)) :- T == -1, !.
% The compiler adds the grounding of an input fluent to its declaration.
source_rule(collectIntervals2(_, FVP), _, collectIntervals(FVP)) :- !.
source_rule(buildFromPoints2(_, FVP), _, buildFromPoints(FVP)) :- !.
source_rule(Head, Body, Source) :-
    source_head(Head, Bounds, SourceHead),
    source_body(Body, Bounds, SourceBody),
    (   SourceBody == true
    ->  Source = SourceHead
    ;   Source = (SourceHead :- SourceBody)
    ).

% What the compiler derives from the rules; holdsfor derives it too.
is_compiler_output(event(_)).
is_compiler_output(inputEntity(_)).
is_compiler_output(outputEntity(_)).
is_compiler_output(internalEntity(_)).
is_compiler_output(simpleFluent(_)).
is_compiler_output(sDFluent(_)).
is_compiler_output(cyclic(_)).
is_compiler_output(cachingOrder(_)).
is_compiler_output(cachingOrder2(_, _)).
is_compiler_output(dgrounded(_, _)).

source_head(initiatedAt(FVP, T1, T, T2), [T1, T2], initiatedAt(FVP, T)) :- !.
source_head(terminatedAt(FVP, T1, T, T2), [T1, T2], terminatedAt(FVP, T)) :- !.
source_head(happensAtEv(E, T), [], happensAt(E, T)) :- !.
source_head(holdsForSDFluent(FVP, I), [], holdsFor(FVP, I)) :- !.
source_head(Head, [], Head).

% -- conditions -------------------------------------------------------------------------------------------------------

source_body((A, B), Bounds, Body) :- !,
    source_body(A, Bounds, A1),
    source_body(B, Bounds, B1),
    conjunction(A1, B1, Body).
source_body(\+ A, Bounds, \+ A1) :- !, source_body(A, Bounds, A1).
source_body(findall(X, A, L), Bounds, findall(X, A1, L)) :- !, source_body(A, Bounds, A1).
source_body(A =< B, Bounds, true) :- is_bound(A, B, Bounds), !.
source_body(A < B, Bounds, true) :- is_bound(A, B, Bounds), !.
source_body(Condition, _, Source) :- source_condition(Condition, Source), !.
source_body(Condition, _, Condition).

conjunction(true, B, B) :- !.
conjunction(A, true, A) :- !.
conjunction(A, B, (A, B)).

is_bound(A, B, Bounds) :- member(Bound, Bounds), (Bound == A ; Bound == B), !.

source_condition(happensAtIE(E, T), happensAt(E, T)).
source_condition(happensAtProcessed(_, E, T), happensAt(E, T)).
source_condition(happensAtProcessedIE(_, E, T), happensAt(E, T)).
source_condition(happensAtProcessedSimpleFluent(_, E, T), happensAt(E, T)).
source_condition(happensAtProcessedSDFluent(_, E, T), happensAt(E, T)).
source_condition(holdsAtCyclic(_, FVP, T), holdsAt(FVP, T)).
source_condition(holdsAtProcessedIE(_, FVP, T), holdsAt(FVP, T)).
source_condition(holdsAtProcessedSimpleFluent(_, FVP, T), holdsAt(FVP, T)).
source_condition(holdsAtProcessedSDFluent(_, FVP, T), holdsAt(FVP, T)).
source_condition(holdsForProcessedIE(_, FVP, I), holdsFor(FVP, I)).
source_condition(holdsForProcessedSimpleFluent(_, FVP, I), holdsFor(FVP, I)).
source_condition(holdsForProcessedSDFluent(_, FVP, I), holdsFor(FVP, I)).
source_condition(initiatedAt(FVP, _, T, _), initiatedAt(FVP, T)).
source_condition(terminatedAt(FVP, _, T, _), terminatedAt(FVP, T)).
% An Allen relation has the FVP that it defines, its number in the rule, and whether it is satisfied as extra arguments.
source_condition(Relation, Source) :-
    Relation =.. [Name, _, _, S, T, Mode, _, I],
    memberchk(Name, [before, meets, starts, finishes, during, overlaps, equal]),
    Source =.. [Name, S, T, Mode, I].
