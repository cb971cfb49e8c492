"""Built-in predicates written in Prolog, read when the first machine is created.

Calls among these predicates are bound to this library, so a program that defines its own `append/3` does not change
them. Goals that they receive as arguments are looked up in the program.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from holdsfor.errors import Diagnostics
from holdsfor.prolog.builtins import atoms, calendar, changes, collecting, lists, numbers, output, spatial, terms  # noqa: F401
from holdsfor.prolog.database import Database, Predicate
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = ["LIBRARY", "library_predicates", "open_lists"]

_TEXT = r"""
member(X, [Y|Ys]) :- '$member'(Ys, X, Y).
'$member'(_, X, X).
'$member'([Y|Ys], X, _) :- '$member'(Ys, X, Y).

append([], Ys, Ys).
append([X|Xs], Ys, [X|Zs]) :- append(Xs, Ys, Zs).
append(Lists, Xs) :- '$append'(Lists, Xs).
'$append'([], []).
'$append'([Ys|Lists], Xs) :- append(Ys, Zs, Xs), '$append'(Lists, Zs).

length(List, N) :-
    '$length'(List, N, M, Tail),
    ( Tail == [] -> N = M ; nonvar(N) -> Rest is N - M, '$cells'(Rest, Tail) ; '$lengthen'(Tail, N, M) ).
'$lengthen'([], N, N).
'$lengthen'([_|Tail], N, M) :- K is M + 1, '$lengthen'(Tail, N, K).

last([X|Xs], Last) :- '$last'(Xs, X, Last).
'$last'([], X, X).
'$last'([X|Xs], _, Last) :- '$last'(Xs, X, Last).

select(X, [X|Xs], Xs).
select(X, [Y|Ys], [Y|Zs]) :- select(X, Ys, Zs).
selectchk(X, Xs, Ys) :- select(X, Xs, Ys), !.
exclude(_, [], []).
exclude(P, [X|Xs], Ys) :- ( call(P, X) -> Ys = Zs ; Ys = [X|Zs] ), exclude(P, Xs, Zs).
include(_, [], []).
include(P, [X|Xs], Ys) :- ( call(P, X) -> Ys = [X|Zs] ; Ys = Zs ), include(P, Xs, Zs).
partition(_, [], [], []).
partition(P, [X|Xs], Is, Es) :-
    ( call(P, X) -> Is = [X|Js], Es = Fs ; Is = Js, Es = [X|Fs] ), partition(P, Xs, Js, Fs).
permutation(Xs, Ys) :- '$same_length'(Xs, Ys), '$permutation'(Xs, Ys).
'$permutation'([], []).
'$permutation'(Xs, [Y|Ys]) :- select(Y, Xs, Zs), '$permutation'(Zs, Ys).
'$same_length'(Xs, Ys) :- is_list(Xs), !, length(Xs, N), length(Ys, N).
'$same_length'(Xs, Ys) :- length(Ys, N), length(Xs, N).

maplist(_, []).
maplist(P, [A|As]) :- call(P, A), maplist(P, As).
maplist(_, [], []).
maplist(P, [A|As], [B|Bs]) :- call(P, A, B), maplist(P, As, Bs).
maplist(_, [], [], []).
maplist(P, [A|As], [B|Bs], [C|Cs]) :- call(P, A, B, C), maplist(P, As, Bs, Cs).
maplist(_, [], [], [], []).
maplist(P, [A|As], [B|Bs], [C|Cs], [D|Ds]) :- call(P, A, B, C, D), maplist(P, As, Bs, Cs, Ds).
foldl(P, Xs, V0, V) :- '$foldl'(Xs, P, V0, V).
'$foldl'([], _, V, V).
'$foldl'([X|Xs], P, V0, V) :- call(P, X, V0, V1), '$foldl'(Xs, P, V1, V).
foldl(P, Xs, Ys, V0, V) :- '$foldl'(Xs, Ys, P, V0, V).
'$foldl'([], [], _, V, V).
'$foldl'([X|Xs], [Y|Ys], P, V0, V) :- call(P, X, Y, V0, V1), '$foldl'(Xs, Ys, P, V1, V).

predsort(P, List, Sorted) :- length(List, N), '$predsort'(N, P, List, [], Sorted).
'$predsort'(0, _, Rest, Rest, []) :- !.
'$predsort'(1, _, [X|Rest], Rest, [X]) :- !.
'$predsort'(N, P, List, Rest, Sorted) :-
    Half is N // 2, Other is N - Half,
    '$predsort'(Half, P, List, Middle, Left), '$predsort'(Other, P, Middle, Rest, Right),
    '$predmerge'(Left, Right, P, Sorted).
'$predmerge'([], Ys, _, Ys) :- !.
'$predmerge'(Xs, [], _, Xs) :- !.
'$predmerge'([X|Xs], [Y|Ys], P, Zs) :- call(P, Order, X, Y), !, '$predmerge'(Order, X, Xs, Y, Ys, P, Zs).
'$predmerge'(<, X, Xs, Y, Ys, P, [X|Zs]) :- '$predmerge'(Xs, [Y|Ys], P, Zs).
'$predmerge'(>, X, Xs, Y, Ys, P, [Y|Zs]) :- '$predmerge'([X|Xs], Ys, P, Zs).
'$predmerge'(=, X, Xs, _, Ys, P, Zs) :- '$predmerge'([X|Xs], Ys, P, Zs).

bagof(Template, Goal, List) :-
    '$witness'(Template, Goal, Witness, Inner),
    ( Witness == [] ->
        findall(Template, Inner, List), List \== []
    ; findall(Witness-Template, Inner, Pairs), '$groups'(Pairs, Groups), member(Witness-List, Groups)
    ).
setof(Template, Goal, Set) :- bagof(Template, Goal, List), sort(List, Set).
aggregate_all(What, Goal, Result) :-
    '$aggregate_template'(What, Expression, Value, Template),
    findall(Template, (Goal, '$aggregate_value'(What, Expression, Value)), List), '$aggregate'(What, List, Result).

clause(Head, Body) :- '$clause'(Head, Body, _).
retract(Clause) :- '$clause_parts'(Clause, Head, Body), '$clause'(Head, Body, Reference), '$erase'(Reference).
retractall(Head) :- '$declare'(Head), ( '$clause'(Head, _, Reference), '$erase'(Reference), fail ; true ).
"""

LIBRARY = Source("library", _TEXT)

_LIST_ARGUMENT = {
    ("append", 2): 0,
    ("append", 3): 0,
    ("last", 2): 0,
    ("length", 2): 0,
    ("member", 2): 1,
    ("memberchk", 2): 1,
    ("nth0", 3): 1,
    ("nth1", 3): 1,
    ("select", 3): 1,
}
"""Predicates with infinitely many or unbound answers if their list is a variable, and the position of the list."""


@cache
def library_predicates() -> MappingProxyType[tuple[str, int], Predicate]:
    """The predicates of the library by name and arity."""
    diagnostics = Diagnostics()
    program = parse_program(LIBRARY, diagnostics)
    assert not diagnostics.has_errors, diagnostics.render()
    database = Database()
    for item in program.clauses:
        database.add_clause(item.head, item.body, library=database.contents)
    return MappingProxyType(database.contents)


def open_lists(goal: Term) -> set[str]:
    """The list variable of a goal on lists, if its list is a variable.

    >>> from holdsfor.syntax.parser import parse_term
    >>> open_lists(parse_term("member(X, L)")), open_lists(parse_term("member(X, [a])"))
    ({'L'}, set())
    """
    position = _LIST_ARGUMENT.get(name_and_arity(goal)) if isinstance(goal, Struct) else None
    given = goal.args[position] if isinstance(goal, Struct) and position is not None else None
    return {given.name} if isinstance(given, Var) else set()
