"""The background knowledge of an event description, as a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.errors import Diagnostics
from holdsfor.prolog import is_builtin
from holdsfor.prolog.compiler import CONTROL, TESTS
from holdsfor.prolog.database import Database
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.durations import UNITS
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, is_callable, name_and_arity, variables

__all__ = [
    "background_database",
    "called_predicates",
    "check_background",
    "grounding_clauses",
    "has_open_call",
    "inner_calls",
]

_GOAL_ARGUMENTS: dict[tuple[str, int], tuple[int, ...]] = {
    (",", 2): (0, 1),
    (";", 2): (0, 1),
    ("->", 2): (0, 1),
    ("*->", 2): (0, 1),
    ("\\+", 1): (0,),
    ("not", 1): (0,),
    ("call", 1): (0,),
    ("once", 1): (0,),
    ("ignore", 1): (0,),
    ("forall", 2): (0, 1),
    ("findall", 3): (1,),
    ("findall", 4): (1,),
    ("setof", 3): (1,),
    ("bagof", 3): (1,),
    ("aggregate_all", 3): (1,),
    ("^", 2): (1,),
}


_WITH_MORE_ARGUMENTS = {"call": 0, "maplist": 0, "foldl": 0, "include": 1, "exclude": 1, "partition": 1, "predsort": 3}
"""The number of arguments that these predicates add to their goal; 0: all their other arguments."""


def check_background(description: EventDescription, diagnostics: Diagnostics) -> None:
    """Report clauses for control constructs and for tests that are built in; other built-ins may be redefined."""
    for item in description.background:
        name, arity = _key(item)
        if (name, arity) in CONTROL or (name, arity) in TESTS:
            span = item.span if isinstance(item, FactTable) else item.head.span
            diagnostics.add("HF201", f"`{name}/{arity}` is built in and cannot be defined", span, "choose another name")


def _key(item: Clause | FactTable) -> tuple[str, int]:
    return (item.name, item.arity) if isinstance(item, FactTable) else name_and_arity(item.head)


def background_database(description: EventDescription) -> Database:
    """The facts and clauses of the background knowledge, with `grounding/1` as an additional predicate."""
    database = Database()
    for name, arity in description.dynamic_predicates:
        database.declare_dynamic(name, arity)
    for item in description.background:
        if isinstance(item, FactTable):
            database.add_table(item.name, item.arity, item.columns)
        else:
            database.add_clause(item.head, item.body, item.span)
    per_second, zone = UNITS[description.time_unit], description.time_zone
    database.add_clause(Struct("$clock", (Int(per_second), Atom(zone))))
    database.declare_dynamic("grounding", 1)
    for clause in grounding_clauses(description):
        database.add_clause(clause.head, clause.body, clause.span)
    return database


def grounding_clauses(description: EventDescription) -> list[Clause]:
    """The declared groundings as clauses of `grounding/1`, which goals may call."""
    clauses: list[Clause] = []
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        body: Term | None = None
        for goal in reversed(_binding_goals_first(grounding.goals)):
            body = goal if body is None else Struct(",", (goal, body))
        clauses.append(Clause(Struct("grounding", (entity,)), body, grounding.span))
    return clauses


def _binding_goals_first(goals: Sequence[Term]) -> list[Term]:
    """The goals with comparisons and negations after the goals that bind their variables; the order has no meaning."""
    waiting, ordered, bound = list(goals), list[Term](), set[str]()
    while waiting:
        goal = next((goal for goal in waiting if _needs(goal, waiting) <= bound), waiting[0])
        waiting.remove(goal)
        ordered.append(goal)
        bound.update(variables(goal))
    return ordered


def _needs(goal: Term, goals: Sequence[Term]) -> set[str]:
    match goal:
        case Struct(name="is", args=(_, right)):
            return set(variables(right))
        case Struct(name=name) if (name, 2) in TESTS and name != "=":
            return set(variables(goal))
        case Struct(name="\\+" | "not" | "forall"):
            return set(variables(goal)) & set(variables(*(other for other in goals if other is not goal)))
    return set()


def called_predicates(goal: Term) -> Iterator[Term]:
    """The calls inside a goal to predicates that are not built in."""
    return (call for call in inner_calls(goal) if not is_builtin(*name_and_arity(call)))


def inner_calls(goal: Term) -> Iterator[Term]:
    """The calls inside a goal; a control construct is replaced by its inner calls."""
    stack = [goal]
    while stack:
        here = stack.pop()
        if not is_callable(here):
            continue
        key = name_and_arity(here)
        if key in _GOAL_ARGUMENTS and isinstance(here, Struct):
            stack.extend(here.args[i] for i in reversed(_GOAL_ARGUMENTS[key]))
        elif isinstance(here, Struct) and here.name in _WITH_MORE_ARGUMENTS:
            yield from _extended_calls(here)
        else:
            yield here


def has_open_call(goal: Term) -> bool:
    """Whether a goal calls a term that is only known when the goal is proved.

    >>> from holdsfor.syntax.parser import parse_term as term
    >>> has_open_call(term("findall(X, p(X), L)")), has_open_call(term("p(X), call(X)"))
    (False, True)
    """
    stack = [goal]
    while stack:
        here = stack.pop()
        if isinstance(here, Var):
            return True
        key = name_and_arity(here) if is_callable(here) else ("", 0)
        if key in _GOAL_ARGUMENTS and isinstance(here, Struct):
            stack.extend(here.args[i] for i in _GOAL_ARGUMENTS[key])
        elif isinstance(here, Struct) and here.name in _WITH_MORE_ARGUMENTS:
            stack.append(here.args[0])
    return False


def _extended_calls(goal: Struct) -> Iterator[Term]:
    """The call itself, and the predicate that it calls with added arguments, if the text names that predicate."""
    yield goal
    called, *more = goal.args
    n_more = len(more) if goal.name == "call" else _WITH_MORE_ARGUMENTS[goal.name] or len(more)
    if is_callable(called):
        own = called.args if isinstance(called, Struct) else ()
        yield Struct(called.name, (*own, *(Var(f"_{i}") for i in range(n_more))))  # type: ignore[union-attr]
