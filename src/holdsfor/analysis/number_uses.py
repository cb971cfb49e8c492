"""The fields of input records that rules use as numbers, so that text there is refused before a run.

A field (a *place*) is used as a number if a rule computes with its variable, matches it with a number, or joins it with
background facts that contain only numbers. Places of events and fluents that share a variable in a rule have the same
constants, so a use of one is a use of the others. This is assumed only if no rule mentions a constant of another kind
in any of these places. A head variable that only facts bind implies nothing about other rules for the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from holdsfor.analysis.place_joins import fact_types
from holdsfor.analysis.sorts import Place, places
from holdsfor.analysis.variable_types import ConstantType
from holdsfor.prolog.background import called_predicates
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Duration,
    Ends,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    Starts,
    Terminated,
    Test,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Float, Int, Struct, Term, Var, is_ground, name_and_arity, variables

__all__ = ["NumberUse", "NumberUses", "number_uses"]

Key = tuple[str, int]

_COMPARISONS = frozenset(["<", ">", "=<", ">=", "=:=", "=\\=", "is"])
_EQUALITIES = frozenset(["=", "==", "\\=", "\\=="])


@dataclass(frozen=True)
class NumberUse:
    """How a place is used as a number (a clause of a message), where, and whether the place has other constants too."""

    how: str
    span: Span | None
    also_text: bool = False


NumberUses = Mapping[Place, NumberUse]


@dataclass
class _Rule:
    """The variables of a rule: their places, and the variables with which the rule computes."""

    head: list[Term] = field(default_factory=list)
    entities: list[Term] = field(default_factory=list)
    calls: list[Term] = field(default_factory=list)
    computed: dict[str, tuple[str, Span | None]] = field(default_factory=dict)
    equated: list[tuple[Var, Term]] = field(default_factory=list)

    def test(self, goal: Term, span: Span | None) -> None:
        """Record an atemporal goal."""
        self.calls += called_predicates(goal)
        for each in _subterms(goal):
            if isinstance(each, Struct) and len(each.args) == 2 and each.name in _COMPARISONS:
                for name in variables(each):
                    self.computed.setdefault(name, (f"a rule computes with it in `{show(each)}`", each.span or span))
            match each:
                case Struct(name=name, args=(Var() as variable, constant) | (constant, Var() as variable)):
                    if name in _EQUALITIES and not isinstance(constant, Var):
                        self.equated.append((variable, constant))


def number_uses(description: EventDescription) -> NumberUses:
    """The places of events and fluents that rules use as numbers."""
    uses = _Uses()
    facts = fact_types(description.background)
    computing = _computing_predicates(description.background)
    for rule in _rules(description):
        uses.add_rule(rule, facts, computing)
    return uses.found()


def _rules(description: EventDescription) -> Iterator[_Rule]:
    for rule in description.point_rules:
        yield _conditions(_Rule([rule.head_term]), rule.body)
    for interval_rule in description.interval_rules:
        found = _Rule([interval_rule.fvp.term])
        for step in interval_rule.body:
            match step:
                case HoldsFor(fvp):
                    found.entities.append(fvp.term)
                case Test(goal, span):
                    found.test(goal, span)
                case Duration(bound=bound, span=span):
                    found.computed |= dict.fromkeys(variables(bound), ("a rule uses it as a duration", span))
        yield found
    for delay in description.delays:
        targets = [] if delay.target is None else [delay.target.term]
        computed = dict.fromkeys(variables(delay.delay), ("a rule uses it as a delay", delay.span))
        yield _conditions(_Rule([delay.source.term, *targets], computed=computed), delay.body)
    for initially in description.initially:
        yield _conditions(_Rule([initially.fvp.term]), initially.body)
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        found = _Rule([], [entity])
        for goal in grounding.goals:
            found.test(goal, grounding.span)
        yield found


def _conditions(rule: _Rule, body: tuple[Condition, ...]) -> _Rule:
    for condition, _ in flat_conditions(body):
        match condition:
            case Happens(event):
                rule.entities.append(event)
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
                rule.entities.append(fvp.term)
            case Test(goal, span):
                rule.test(goal, span)
            case Collect(template=template, aggregate=("sum" | "max" | "min") as aggregate, span=span):
                for name in variables(template):
                    rule.computed.setdefault(name, (f"a rule takes the `{aggregate}` of it", span))
    return rule


class _Uses:
    """Places joined by common variables, and the uses and constants of each."""

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}
        self._computed: dict[Place, NumberUse] = {}
        self._matched: dict[Place, NumberUse] = {}
        self._constants: dict[Place, set[bool]] = {}  # whether there are numbers, and other constants
        self._joined: dict[Place, NumberUse] = {}

    def add_rule(self, rule: _Rule, facts: Mapping[Key, list[ConstantType]], computing: Mapping[Key, set[int]]) -> None:
        first: dict[str, Place] = {}
        for term in (*rule.entities, *rule.head):
            for place, part in places(term):
                if isinstance(part, Var):
                    self._parent[self._root(place)] = self._root(first.setdefault(part.name, place))
                else:
                    self._mention(place, part, term)
        for name, (how, span) in rule.computed.items():
            if name in first:
                self._computed.setdefault(self._root(first[name]), NumberUse(how, span))
        for variable, constant in rule.equated:
            if variable.name in first:
                self._mention(first[variable.name], constant, Struct("=", (variable, constant)))
        bound = set(variables(*rule.entities))
        for call in rule.calls:
            for name in _numbers_of(call, facts):
                if name in bound and name in first:
                    use = NumberUse(f"a rule joins it with `{show(call)}`, which has numbers", call.span)
                    self._joined.setdefault(self._root(first[name]), use)
            for i in computing.get(name_and_arity(call), ()):
                arg = call.args[i] if isinstance(call, Struct) else None
                if isinstance(arg, Var) and arg.name in first:
                    use = NumberUse(f"a rule computes with it in `{show(call)}`", call.span)
                    self._computed.setdefault(self._root(first[arg.name]), use)

    def _mention(self, place: Place, part: Term, term: Term) -> None:
        if not is_ground(part):
            return
        is_number = isinstance(part, Int | Float)
        self._constants.setdefault(place, set()).add(is_number)
        if is_number:
            use = NumberUse(f"a rule expects the number {show(part)} in `{show(term)}`", part.span or term.span)
            self._matched.setdefault(place, use)

    def _root(self, place: Place) -> Place:
        parent = self._parent.setdefault(place, place)
        while parent != place:
            place, parent = parent, self._parent[parent]
        return place

    def found(self) -> NumberUses:
        """The use of each place that is used as a number, directly or through shared variables."""
        together: dict[Place, set[bool]] = {}
        matched: dict[Place, NumberUse] = {}
        for place, kinds in self._constants.items():
            together.setdefault(self._root(place), set()).update(kinds)
            if place in self._matched:
                matched.setdefault(self._root(place), self._matched[place])
        indirect = matched
        for found in (self._joined, self._computed):
            indirect = indirect | {self._root(place): use for place, use in found.items()}
        uses: dict[Place, NumberUse] = {}
        for place in list(self._parent):
            also_text = False in together.get(self._root(place), set())
            use = self._matched.get(place) or (None if also_text else indirect.get(self._root(place)))
            if use is not None:
                uses[place] = NumberUse(use.how, use.span, also_text)
        return uses


def _numbers_of(call: Term, facts: Mapping[Key, list[ConstantType]]) -> Iterator[str]:
    """The variables of a call in arguments for which all facts have numbers."""
    columns = facts.get(name_and_arity(call), [])
    for i, types in enumerate(columns):
        arg = call.args[i] if isinstance(call, Struct) else None
        if isinstance(arg, Var) and types and not types & ConstantType.TEXT:
            yield arg.name


def _computing_predicates(background: Iterable[Clause | FactTable]) -> dict[Key, set[int]]:
    """The arguments with which clauses of the background knowledge compute."""
    found: dict[Key, set[int]] = {}
    for item in background:
        if isinstance(item, Clause) and item.body is not None and isinstance(item.head, Struct):
            rule = _Rule()
            rule.test(item.body, item.span)
            computed = {i for i, arg in enumerate(item.head.args) if isinstance(arg, Var) and arg.name in rule.computed}
            found.setdefault(name_and_arity(item.head), set()).update(computed)
    return found


def _subterms(goal: Term) -> Iterator[Term]:
    stack = [goal]
    while stack:
        here = stack.pop()
        yield here
        if isinstance(here, Struct):
            stack.extend(here.args)
