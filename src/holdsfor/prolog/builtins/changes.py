"""Predicates that change the database: `assertz/1`, `retract/1`, similar predicates, and declarations."""

from __future__ import annotations

from itertools import count

from holdsfor.errors import Hint
from holdsfor.prolog.clauses import CompiledClause
from holdsfor.prolog.compiler import CONTROL, TESTS
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.registry import Answers, Arguments, BuiltinContext, deterministic, enumerated
from holdsfor.prolog.unify import Ref, deref, resolve, unify
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, name_and_arity, substitute, variables

__all__ = ["CHANGES", "NO_CHANGES"]

CHANGES = frozenset((name, 1) for name in ("assert", "asserta", "assertz", "retract", "retractall", "dynamic"))
"""The predicates that change the database."""

NO_CHANGES = Hint(
    "facts can be added by start-up goals; use a fluent for facts that change over time",
    on_command_line="facts can be added by start-up goals (`--goal`); use a fluent for facts that change over time",
)
"""What to do instead of a rule that changes the database."""

_TRUE = Atom("true")


class _Reference(Atom):
    """A clause as a term, so that one goal can find the clause and the next goal erase it."""

    __slots__ = ("clause", "key")
    clause: CompiledClause
    key: tuple[str, int]

    def __init__(self, key: tuple[str, int], clause: CompiledClause) -> None:
        super().__init__("$clause")
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "clause", clause)


def _head_and_body(term: Term) -> tuple[Term, Term]:
    """The parts of a clause given as a term."""
    if isinstance(term, Struct) and term.name == ":-" and len(term.args) == 2:
        return deref(term.args[0]), deref(term.args[1])
    return term, _TRUE


def _changeable(head: Term) -> tuple[str, int]:
    """The name and arity of a head that a program may define."""
    if not isinstance(head, Atom | Struct):
        raise not_a("the head of a clause", head)
    key = name_and_arity(head)
    if key in CONTROL or key in TESTS:
        raise GoalProblem("HF603", f"`{key[0]}/{key[1]}` is built in and cannot be changed")
    return key


def _check_start_up(run: BuiltinContext) -> None:
    """Refuse to change the database while rules are evaluated."""
    if run.database.is_frozen:
        raise GoalProblem("HF228", "a rule cannot change the background knowledge", NO_CHANGES)


def _assert(args: Arguments, run: BuiltinContext, *, first: bool) -> bool:
    _check_start_up(run)
    head, body = _head_and_body(_with_named_variables(args[0]))
    _changeable(head)
    run.database.add_clause(head, body, first=first)
    return True


def _with_named_variables(term: Term) -> Term:
    """The term with its empty cells replaced by variables."""
    names: dict[Ref, Var] = {}
    numbers = count(1)

    def named(ref: Ref) -> Var:
        if ref not in names:
            names[ref] = Var(f"_G{next(numbers)}")
        return names[ref]

    return resolve(term, named)


@deterministic(("assertz", 1), ("assert", 1))
def _assertz(args: Arguments, run: BuiltinContext) -> bool:
    return _assert(args, run, first=False)


@deterministic(("asserta", 1))
def _asserta(args: Arguments, run: BuiltinContext) -> bool:
    return _assert(args, run, first=True)


@deterministic(("$clause_parts", 3))
def _clause_parts(args: Arguments, run: BuiltinContext) -> bool:
    head, body = _head_and_body(args[0])
    return unify(args[1], head, run.trail) and unify(args[2], body, run.trail)


@enumerated(("$clause", 3))
def _clause(args: Arguments, run: BuiltinContext) -> Answers:
    key = _changeable(args[0])
    predicate = run.database.contents.get(key)
    if predicate is None:
        return iter(())
    clauses = predicate.own_clauses()
    head_args = tuple(deref(arg) for arg in args[0].args) if isinstance(args[0], Struct) else ()
    found = clauses.candidates(head_args)
    dead, time = clauses.dead, run.database.time
    start = clauses.n_dead_ahead if found is clauses.all else 0
    living = (found[at] for at in range(start, len(found)) if dead.get(found[at], time + 1) > time)
    return ((*_renamed(clause, run), _Reference(key, clause)) for clause in living)


def _renamed(clause: CompiledClause, run: BuiltinContext) -> tuple[Term, Term]:
    """The head and body of a clause with new cells for its variables."""
    body = clause.body or _TRUE
    cells: dict[str, Term] = {name: Ref(run.trail.stamp) for name in variables(clause.head, body)}
    return substitute(clause.head, cells), substitute(body, cells)


@deterministic(("$erase", 1))
def _erase(args: Arguments, run: BuiltinContext) -> bool:
    (reference,) = args
    _check_start_up(run)
    assert isinstance(reference, _Reference)
    return run.database.erase(reference.key, reference.clause)


@deterministic(("$declare", 1))
def _declare(args: Arguments, run: BuiltinContext) -> bool:
    _check_start_up(run)
    run.database.declare_dynamic(*_changeable(args[0]))
    return True


@deterministic(("dynamic", 1), ("discontiguous", 1), ("multifile", 1), ("table", 1))
def _dynamic(args: Arguments, run: BuiltinContext) -> bool:
    """Declare the predicates `name/arity, …`, also given as a list."""
    _check_start_up(run)
    pending = [args[0]]
    while pending:
        term = resolve(pending.pop())
        match term:
            case Struct(name="/", args=(Atom(name), Int(arity))):
                run.database.declare_dynamic(name, arity)
            case Struct(name="," | "[|]", args=(left, right)):
                pending.extend((right, left))
            case Atom("[]"):
                pass
            case _:
                raise not_a("name/arity", term)
    return True
