% Runs a file of RTEC's unit tests and writes, for each test, its input, its expected and its computed answers.
%
% RTEC keeps its state in asserted clauses, so every test runs in a process of its own: the file is loaded once, and each
% test is forked off. A test writes one line:
%
%     test(Scenario, Case, Number, FVP, Memory, Expected, Given, Answers).
%
% `Given` has `at(Time, Input)` for what arrives by each query time, `Answers` has `at(Time, Window, Intervals)`. A second
% line has the answer at the last query time when one window covers everything that the windows of the test admit:
%
%     whole(Scenario, Case, Number, Intervals).
%
% usage: swipl unit_tests.prolog -- test_file.prolog

:- use_module(library(unix)).
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [File]),
    user:consult(File),
    forall(test_of(Kind, Head), (run_alone(run(Kind, Head), Head), run_alone(run_whole(Kind, Head), Head))).

test_of(Kind, Head) :-
    member(Kind, [testcase, testcaseE, testcaseSE]),
    functor(Head, Kind, 9),
    catch(clause(user:Head, _), _, fail).

run_alone(Goal, Head) :-
    fork(Pid),
    (   Pid == child
    ->  (   catch(Goal, Problem, (print_message(error, Problem), fail))
        ->  halt(0)
        ;   Head =.. [_, Scenario, Case, Number | _],
            write_line(failed(Scenario, Case, Number)),
            halt(0)
        )
    ;   wait(Pid, _)
    ).

run(Kind, Head) :-
    prepare(Head, Times),
    Head =.. [_, Scenario, Case, Number, Expected | _],
    fvp(Case, Number, FVP),
    (   user:allenMemory(Memory) -> true ; Memory = none ),
    query_all(Kind, Times, Scenario, Case, Number, Given, Answers),
    write_line(test(Scenario, Case, Number, FVP, Memory, Expected, Given, Answers)).

run_whole(Kind, Head) :-
    prepare(Head, Times),
    Head =.. [_, Scenario, Case, Number | _],
    (   Kind == testcase -> user:updateSDE(Scenario) ; true ),
    forall(member((Time, Window), Times), (update(Kind, Scenario, Time, Window), drop(Time, Window))),
    last(Times, (Last, _)),
    Whole is Last+1,
    retractall(user:step(_)),
    assertz(user:step(Whole)),
    user:eventRecognition(Last, Whole),
    user:check(Case, Number, Found), !,
    write_line(whole(Scenario, Case, Number, Found)).

prepare(Head, Times) :-
    call(user:Head),
    Head =.. [_, _, _, _, _, (Step, Window, Start, End), Input, Dynamic, Preprocessing, Tick],
    user:initialiseRecognition(Input, Dynamic, Preprocessing, Tick),
    user:createErTimes(Step, Window, Start, End, Times).

% Events that arrive when they are before the window.
drop(Time, Window) :-
    From is Time-Window,
    forall((clause(user:happensAtIE(_, T), true, Event) , T =< From, \+ seen(Event)), erase(Event)),
    forall(clause(user:happensAtIE(_, _), true, Event), note_seen(Event)).

:- dynamic seen/1.

note_seen(Event) :- seen(Event), !.
note_seen(Event) :- assertz(seen(Event)).

% The FVP that a test asks for.
fvp(Case, Number, FVP) :-
    clause(user:check(Case, Number, _), Body),
    asked(Body, FVP), !.

asked((A, B), FVP) :- !, ( A = holdsFor(FVP, _) -> true ; call(user:A), asked(B, FVP) ).
asked(holdsFor(FVP, _), FVP).

query_all(Kind, Times, Scenario, Case, Number, Given, Answers) :-
    Times = [(First, _) | _],
    (   Kind == testcase
    ->  user:updateSDE(Scenario), known(Known), Given = [at(First, Known)]
    ;   Given = Later
    ),
    query_each(Times, Kind, Scenario, Case, Number, Later, Answers).

query_each([], _, _, _, _, [], []).
query_each([(Time, Window) | Times], Kind, Scenario, Case, Number, Given, [at(Time, Window, Found) | Answers]) :-
    known(Before),
    update(Kind, Scenario, Time, Window),
    known(After),
    subtract(After, Before, New),
    Given = [at(Time, New) | More],
    user:eventRecognition(Time, Window),
    user:check(Case, Number, Found), !,
    query_each(Times, Kind, Scenario, Case, Number, More, Answers).

update(testcase, _, _, _).
update(testcaseE, Scenario, Time, _) :- user:updateSDE(Scenario, Time).
update(testcaseSE, Scenario, Time, Window) :- From is Time-Window, user:updateSDE(Scenario, From, Time).

known(Known) :-
    findall(happens(E, T), user:happensAtIE(E, T), Events),
    findall(holds(FVP, S, E), user:holdsForIESI(FVP, (S, E)), Intervals),
    findall(holds(FVP, T), user:holdsAtIE(FVP, T), Points),
    append([Events, Intervals, Points], Known).

write_line(Term) :-
    format('~q.~n', [Term]),
    flush_output.
