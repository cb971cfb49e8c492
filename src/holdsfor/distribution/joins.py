"""The joins of the rules: each rule reduced to its heads, the events and FVPs it reads, and its atemporal goals.

A *path* is a position in an event or fluent: `(0,)` is the first argument, `(1, 0)` the first argument of a structure
that is the second argument. No path leads to the value of a fluent: a value of a simple fluent terminates the other
values, so one worker computes all of them.

A *guard* is a body atom without which a rule derives nothing: a positive condition, or a list of intervals that
contains the result. A guard such as `proximity(V1, V2)` gives the `V2` that a `V1` needs, and so allows a semijoin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Allen,
    Collect,
    Condition,
    Delay,
    Duration,
    Either,
    Ends,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    Intersect,
    IntervalCall,
    IntervalRule,
    Not,
    RelativeComplement,
    Starts,
    Terminated,
    Test,
    Union,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, is_ground

__all__ = ["BodyAtom", "Join", "Path", "arguments", "joins_of", "paths", "position", "term_at"]

Path = tuple[int, ...]


@dataclass(frozen=True)
class BodyAtom:
    """An event or FVP (a term `F=V`) that the body of a rule reads.

    An atom about effects reads initiations or terminations, also those of the other values of the fluent. `goals` are
    the atemporal goals without which the atom derives nothing: those of its conjunction and of those around it. An atom
    that `is_collected` is inside `findall` or `aggregate_all`.
    """

    pattern: Term
    is_fvp: bool
    is_guard: bool
    is_about_effects: bool = False
    goals: tuple[Term, ...] = ()
    is_collected: bool = False


@dataclass(frozen=True)
class Join:
    """A rule: its heads, the events and FVPs of its body, and its atemporal goals.

    `what` names the rule in messages. `listed` are the FVPs whose lists of intervals the rule reads.
    """

    what: str
    heads: tuple[Term, ...]
    atoms: tuple[BodyAtom, ...]
    goals: tuple[Term, ...]
    listed: tuple[Term, ...] = ()
    span: Span | None = None


def joins_of(description: EventDescription) -> Iterator[Join]:
    """A join for every rule, delay, initial value and postponement declaration."""
    for rule in description.point_rules:
        what = f"{rule.kind}({show(rule.head_term)}, …)"
        yield Join(what, (rule.head_term,), *_conditions(rule.body), span=rule.span)
    for interval_rule in description.interval_rules:
        if not interval_rule.is_empty:
            yield _interval_join(interval_rule)
    for delay in description.delays:
        yield _delay_join(delay)
    for initially in description.initially:
        head = (initially.fvp.term,)
        yield Join(f"initially({initially.fvp})", head, *_conditions(initially.body), span=initially.span)
    for postponable in description.postponable:
        head = (postponable.fvp.term,)
        yield Join(f"p({postponable.fvp})", head, *_conditions(postponable.body), span=postponable.span)


def _delay_join(delay: Delay) -> Join:
    heads = [fvp for fvp in (delay.source, delay.target) if fvp is not None]
    name = "ft" if delay.target is None else "fi"
    what = f"{name}({', '.join(str(fvp) for fvp in heads)}, …)"
    return Join(what, tuple(fvp.term for fvp in heads), *_conditions(delay.body), span=delay.span)


def _conditions(body: tuple[Condition, ...]) -> tuple[tuple[BodyAtom, ...], tuple[Term, ...]]:
    goals = tuple(condition.goal for condition, _ in flat_conditions(body) if isinstance(condition, Test))
    return tuple(_atoms(body, (), is_guard=True)), goals


def _atoms(body: tuple[Condition, ...], around: tuple[Term, ...], *, is_guard: bool) -> Iterator[BodyAtom]:
    """The atoms of a conjunction, and of the conjunctions inside it."""
    goals = (*around, *(condition.goal for condition in body if isinstance(condition, Test)))
    for condition in body:
        match condition:
            case Happens(event):
                yield BodyAtom(event, is_fvp=False, is_guard=is_guard, goals=goals)
            case Starts(fvp) | Ends(fvp) | Holds(fvp):
                yield BodyAtom(fvp.term, is_fvp=True, is_guard=is_guard, goals=goals)
            case Initiated(fvp) | Terminated(fvp):
                any_value = Struct("=", (fvp.fluent, Var("_#value")))
                yield BodyAtom(any_value, is_fvp=True, is_guard=False, is_about_effects=True, goals=goals)
            case Not(inner):
                yield from _atoms(inner, goals, is_guard=False)
            case Collect(body=inner):
                yield from (replace(atom, is_collected=True) for atom in _atoms(inner, goals, is_guard=False))
            case Either(branches):
                for branch in branches:
                    yield from _atoms(branch, goals, is_guard=False)


def _interval_join(rule: IntervalRule) -> Join:
    needed = _needed(rule)
    literals = [step for step in rule.body if isinstance(step, HoldsFor)]
    tests = [step for step in rule.body if isinstance(step, Test | Not)]
    own = tuple(step.goal for step in rule.body if isinstance(step, Test))
    goals = [c.goal for c, _ in flat_conditions(tuple(tests)) if isinstance(c, Test)]
    goals += [step.goal for step in rule.body if isinstance(step, IntervalCall)]
    return Join(
        f"holdsFor({rule.fvp}, …)",
        (rule.fvp.term,),
        tuple(BodyAtom(s.fvp.term, is_fvp=True, is_guard=s.result.name in needed, goals=own) for s in literals),
        tuple(goals),
        tuple(step.fvp.term for step in literals),
        rule.span,
    )


def _needed(rule: IntervalRule) -> set[str]:
    """The names of the `holdsFor` lists that contain the rule's result for every input."""
    needs: dict[str, set[str]] = {}

    def of(terms: Iterable[Term]) -> list[set[str]]:
        return [needs.get(term.name, set()) if isinstance(term, Var) else set() for term in terms]

    for step in rule.body:
        match step:
            case HoldsFor(_, result):
                needs[result.name] = {result.name}
            case Union(lists, result):
                needs[result.name] = set.intersection(*of(lists)) if lists else set()
            case Intersect(lists, result):
                needs[result.name] = set().union(*of(lists))
            case RelativeComplement(base, _, result):
                needs[result.name] = of([base])[0]
            case IntervalCall(_, inputs, outputs, is_intervalwise=True):
                needs[outputs[0]] = of([Var(inputs[0])])[0]
            case Duration(intervals=intervals, result=result):
                needs[result.name] = of([intervals])[0]
            case Allen(source=source, target=target, result=result):
                needs[result.name] = set().union(*of([source, target]))
    return of([rule.result])[0]


# -- paths -------------------------------------------------------------------------------------------------------------


def arguments(entity: Term) -> tuple[Term, ...]:
    """The arguments of an event, or of the fluent of an FVP.

    >>> from holdsfor.syntax.parser import parse_term
    >>> [show(argument) for argument in arguments(parse_term("location(chris)=pub"))]
    ['chris']
    """
    named = entity.args[0] if isinstance(entity, Struct) and entity.name == "=" else entity
    return named.args if isinstance(named, Struct) else ()


def paths(pattern: Term) -> list[Path]:
    """The paths to the terms of a pattern that are not ground, outermost first."""
    found: list[Path] = []
    level: list[tuple[Path, Term]] = [((i,), argument) for i, argument in enumerate(arguments(pattern))]
    while level:
        found += [path for path, term in level if not is_ground(term)]
        structures = [(path, term) for path, term in level if isinstance(term, Struct) and not is_ground(term)]
        level = [((*path, i), inner) for path, term in structures for i, inner in enumerate(term.args)]
    return found


def term_at(entity: Term, path: Path) -> Term | None:
    """The term at a path, or None where the path leads into a variable."""
    found: Term | None = None
    inside = arguments(entity)
    for i in path:
        if i >= len(inside):
            return None
        found = inside[i]
        inside = found.args if isinstance(found, Struct) else ()
    return found


def position(entity: Term, wanted: Term) -> int | None:
    """The number of the first argument that is the wanted term."""
    return next((i for i, argument in enumerate(arguments(entity)) if argument == wanted), None)
