"""Clauses sorted by kind: rules, declarations, delays, domains, input facts, background knowledge."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdsfor.errors import Diagnostics
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, conjuncts, list_items
from tests.oracle.background import Background
from tests.oracle.scopes import alternatives, scoped
from tests.oracle.terms import Refused, free_names, key_of, names_in, plain, unify

__all__ = ["Delay", "Description", "PointRule", "StaticRule", "describe"]

TRUE = Atom("true")
_IGNORED = {
    *(("index", 2), ("needsGrounding", 3), ("inputEntity", 1), ("outputEntity", 1), ("event", 1)),
    *(("simpleFluent", 1), ("sDFluent", 1), ("cachingOrder", 1), ("cachingOrder2", 2)),
}


@dataclass(frozen=True)
class PointRule:
    """A rule with a time-point: `effect` is initiatedAt, terminatedAt or happensAt."""

    effect: str
    head: Term
    time: Term
    bodies: list[list[Term]]
    names: frozenset[str]
    text: Clause


@dataclass(frozen=True)
class StaticRule:
    head: Term
    intervals: Term
    goals: list[Term]
    text: Clause


@dataclass(frozen=True)
class Delay:
    """`fi(source, target, length)` or, with a target of None, `ft(source, length)`."""

    source: Term
    target: Term | None
    length: Term
    bodies: list[list[Term]]
    names: frozenset[str]


@dataclass
class Description:
    points: list[PointRule] = field(default_factory=list)
    static: list[StaticRule] = field(default_factory=list)
    initially: list[tuple[Term, list[list[Term]]]] = field(default_factory=list)
    delays: list[Delay] = field(default_factory=list)
    postponable: list[tuple[Term, list[list[Term]]]] = field(default_factory=list)
    groundings: list[tuple[Term, list[list[Term]], Term]] = field(default_factory=list)
    dynamic: set[tuple[str, int]] = field(default_factory=set)
    collected: list[tuple[list[Term], Term]] = field(default_factory=list)
    declared: list[tuple[str, Term]] = field(default_factory=list)
    events: list[tuple[Term, int]] = field(default_factory=list)
    intervals: list[tuple[Term, Term]] = field(default_factory=list)
    background: Background = field(default_factory=Background)
    clauses: list[Clause] = field(default_factory=list)

    def shape(self, name: str) -> str:
        """`event`, `points` or `intervals`: how the records of a name are written."""
        for kind, pattern in self.declared:
            fluent = pattern.args[0] if isinstance(pattern, Struct) and pattern.name == "=" else pattern
            if isinstance(fluent, Atom | Struct) and key_of(fluent)[0] == name:
                return kind
        return "event"

    def is_input(self, fvp: Term) -> bool:
        return any(unify(fvp, _apart(pattern), {}) is not None for _, pattern in self.declared)


def _apart(term: Term) -> Term:
    from tests.oracle.terms import rename

    return rename(term, "~d")


def _bodies(body: Term | None, head: Term) -> list[list[Term]]:
    return alternatives(scoped(TRUE if body is None else body, names_in(head), is_rule=True))


def describe(text: str) -> Description:
    """The description that a text holds."""
    problems = Diagnostics()
    program = parse_program(Source("oracle", text), problems)
    if problems.in_order():
        raise Refused(str(problems.in_order()[0]))
    description = Description()
    for item in program.items:
        if isinstance(item, FactTable):
            for row in zip(*item.columns, strict=True):
                _sort(description, Clause(Struct(item.name, tuple(row))))
        elif isinstance(item, Clause):
            _sort(description, item)
    for head, _, body in description.groundings:
        description.background.add(Struct("grounding", (head,)), body)
    return description


def _sort(description: Description, raw: Clause) -> None:
    clause = Clause(plain(raw.head), None if raw.body is None else plain(raw.body))
    description.clauses.append(clause)
    head, body = clause.head, clause.body
    name, arity = key_of(head)
    args = head.args if isinstance(head, Struct) else ()
    match name, arity:
        case ("initiatedAt", 4) if args[2] == Int(-1):
            description.initially.append((args[0], _bodies(None, args[0])))
        case ("initiatedAt" | "terminatedAt" | "happensAt", 2):
            _add_rule(description, clause, name, args[0], args[1], body)
        case ("initiatedAt" | "terminatedAt", 4):
            _add_rule(description, clause, name, args[0], args[2], body)
        case ("initiates" | "terminates", 3):
            trigger: Term = Struct("happensAt", (args[0], args[2]))
            full = trigger if body is None else Struct(",", (trigger, body))
            effect = "initiatedAt" if name == "initiates" else "terminatedAt"
            _add_rule(description, clause, effect, args[1], args[2], full)
        case ("holdsAt", 2) if body is None:
            assert isinstance(args[1], Int)
            description.intervals.append((args[0], args[1]))
        case ("holdsFor", 2):
            _add_static(description, clause, args, body)
        case ("initially", 1):
            description.initially.append((args[0], _bodies(body, head)))
        case ("fi", 3):
            description.delays.append(_delay(args[0], args[1], args[2], body, head))
        case ("ft", 2):
            description.delays.append(_delay(args[0], None, args[1], body, head))
        case ("p", 1) if isinstance(args[0], Struct) and args[0].name == "=":
            description.postponable.append((args[0], _bodies(body, head)))
        case ("grounding", 1):
            description.groundings.append((args[0], _bodies(body, head), TRUE if body is None else body))
        case ("dynamicDomain", 1):
            description.dynamic.add(key_of(args[0]))
        case ("collectGrounds", 2):
            description.collected.append((list_items(args[0])[0], args[1]))
        case ("collectIntervals" | "buildFromPoints" | "points", 1):
            if body is None:
                description.declared.append(("intervals" if name == "collectIntervals" else "points", args[0]))
        case key if key in _IGNORED:
            pass
        case _:
            description.background.add(head, body)


def _add_rule(description: Description, clause: Clause, effect: str, head: Term, time: Term, body: Term | None) -> None:
    if effect == "happensAt" and body is None and isinstance(time, Int) and not free_names(head, {}):
        description.events.append((head, time.value))
        return
    bodies = _bodies(body, Struct("h", (head, time)))
    names = frozenset(names_in(head))
    description.points.append(PointRule(effect, head, time, bodies, names, clause))


def _delay(source: Term, target: Term | None, length: Term, body: Term | None, head: Term) -> Delay:
    return Delay(source, target, length, _bodies(body, head), frozenset(names_in(head)))


def _add_static(description: Description, clause: Clause, args: tuple[Term, ...], body: Term | None) -> None:
    if body is None and not isinstance(args[1], Var):
        for item in list_items(args[1])[0]:
            description.intervals.append((args[0], item))
        return
    goals = [] if body is None else conjuncts(body)
    description.static.append(StaticRule(args[0], args[1], goals, clause))
