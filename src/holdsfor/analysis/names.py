"""The kind of every name: event or fluent, input or output, the definition of each value, the shape of its records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeGuard

from holdsfor.analysis.number_uses import NumberUses, number_uses
from holdsfor.analysis.pattern_index import PatternIndex, disjoint_patterns
from holdsfor.analysis.patterns import anonymous, may_match
from holdsfor.analysis.place_joins import PlaceJoins, place_joins
from holdsfor.errors import Diagnostics
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.rules import (
    Condition,
    Ends,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    InputFact,
    Starts,
    Terminated,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, is_ground, name_and_arity

__all__ = [
    "Names",
    "Record",
    "check_names",
    "domain_entities",
    "fvp_uses",
    "name_everything",
    "open_arguments",
    "simple_patterns",
]

Key = tuple[str, int]
Shape = Literal["points", "intervals"]


@dataclass(frozen=True, slots=True)
class Record:
    """The shape of the input records of one name.

    `patterns` are the FVPs that arrive in this shape, if other FVPs of the fluent are computed or have another shape.
    """

    name: str
    arity: int
    shape: Literal["event", "points", "intervals"]
    patterns: tuple[Term, ...] | None = field(default=None, compare=False)

    def fits(self, fvp: Term) -> bool:
        """Whether a ground FVP is declared to arrive in this shape."""
        return self.patterns is None or any(may_match(pattern, fvp) for pattern in self.patterns)

    @property
    def layout(self) -> str:
        """The fields of the record in a text file."""
        fixed = {
            "event": "arrival|occurrence",
            "points": "arrival|occurrence|value",
            "intervals": "arrival|start|end|value",
        }
        args = "".join(f"|arg{i + 1}" for i in range(self.arity))
        return f"{self.name}|{fixed[self.shape]}{args}"

    @property
    def n_fields(self) -> int:
        return self.layout.count("|") + 1


@dataclass(frozen=True)
class Names:
    """The names of an event description. Patterns are FVPs as terms `F=V`, or events.

    `number_uses` are the record fields that rules use as numbers, `joins` are the fields that rules join.
    `domain_entities` fill dynamic domains, `input_facts` are the input records stated as facts.
    """

    output_events: list[Term]
    used_events: list[Term]
    simple: list[Term]
    static: list[Term]
    declared_inputs: list[tuple[Term, Shape]]
    used_fvps: list[Term]
    given_fvps: list[Term] = field(default_factory=list)
    number_uses: NumberUses = field(default_factory=dict, repr=False)
    joins: PlaceJoins = field(default_factory=PlaceJoins, repr=False)
    domain_entities: list[Term] = field(default_factory=list)
    input_facts: list[InputFact] = field(default_factory=list, repr=False)

    @cached_property
    def fluents(self) -> dict[Key, None]:
        """All fluents by name and arity."""
        return dict.fromkeys((*self._fluents_of_rules, *(_fluent_key(p) for p in self._domain_fvps)))

    @cached_property
    def _fluents_of_rules(self) -> dict[Key, None]:
        patterns = [*self.simple, *self.static, *(p for p, _ in self.declared_inputs), *self.used_fvps]
        patterns += self.given_fvps
        return dict.fromkeys(_fluent_key(p) for p in patterns)

    @cached_property
    def events(self) -> dict[Key, None]:
        return dict.fromkeys((*self._events_of_rules, *map(name_and_arity, self._domain_events)))

    @cached_property
    def _events_of_rules(self) -> dict[Key, None]:
        return dict.fromkeys(name_and_arity(e) for e in (*self.output_events, *self.used_events))

    @cached_property
    def _domain_events(self) -> list[Term]:
        """The events that only dynamic domains use, without names that rules use as fluents."""
        others = [e for e in self.domain_entities if not is_fvp_term(e)]
        return [e for e in others if name_and_arity(e) not in self._fluents_of_rules]

    @cached_property
    def _domain_fvps(self) -> list[Term]:
        """The FVPs that only dynamic domains use."""
        keys = {*self._events_of_rules, *map(name_and_arity, self._domain_events)}
        return [e for e in self.domain_entities if is_fvp_term(e) and _fluent_key(e) not in keys]

    def is_known(self, pattern: Term) -> bool:
        """Whether a rule or a declaration may define an instance of an FVP."""
        return self.is_defined(pattern) or self._inputs.has(pattern)

    def is_defined(self, pattern: Term) -> bool:
        """Whether a rule may define an instance of an FVP."""
        return self._of_rules.has(pattern)

    @cached_property
    def _of_rules(self) -> PatternIndex[None]:
        """The FVPs that rules define."""
        return PatternIndex((pattern, None) for pattern in (*self.simple, *self.static))

    @cached_property
    def _inputs(self) -> PatternIndex[None]:
        """The FVPs that are declared or given as input."""
        return PatternIndex((p, None) for p in (*(p for p, _ in self.declared_inputs), *self.given_fvps))

    @cached_property
    def input_events(self) -> dict[Key, None]:
        defined = {name_and_arity(e) for e in self.output_events}
        return {key: None for key in self.events if key not in defined}

    @cached_property
    def input_fluents(self) -> dict[Key, tuple[Shape, ...]]:
        """The fluents with values that arrive as records, and their declared shapes.

        A fluent that is used but neither defined nor declared may arrive in either shape.
        """
        shapes: dict[Key, tuple[Shape, ...]] = {}
        for pattern, shape in self.declared_inputs:
            key = _fluent_key(pattern)
            shapes[key] = tuple(dict.fromkeys((*shapes.get(key, ()), shape)))
        for pattern in (*self.used_fvps, *self._domain_fvps):
            if _fluent_key(pattern) not in self._defined:
                shapes.setdefault(_fluent_key(pattern), ("points", "intervals"))
        for pattern in self.given_fvps:
            shapes.setdefault(_fluent_key(pattern), ())
        return shapes

    @cached_property
    def _defined(self) -> set[Key]:
        """The fluents with values defined by rules."""
        return {_fluent_key(p) for p in (*self.simple, *self.static)}

    def is_input(self, fvp: Term) -> bool:
        """Whether instances of an FVP may arrive as records."""
        return self._inputs.has(fvp) or _fluent_key(fvp) not in self._defined

    @cached_property
    def records(self) -> list[Record]:
        """The shapes of all input records, by name."""
        records = [Record(name, arity, "event") for name, arity in self.input_events]
        for key, shapes in self.input_fluents.items():
            records += [Record(*key, shape, self._patterns(key, shape)) for shape in shapes]
        return sorted(records, key=lambda r: (r.name, r.arity, r.shape))

    def _patterns(self, key: Key, shape: Shape) -> tuple[Term, ...] | None:
        """The FVPs of a fluent that arrive in a shape; None if all do."""
        declared = [(p, s) for p, s in self.declared_inputs if _fluent_key(p) == key]
        if not declared or (key not in self._defined and len(self.input_fluents[key]) == 1):
            return None
        return tuple(pattern for pattern, each in declared if each == shape)

    def __str__(self) -> str:
        """The names as text: events, fluents with their values, and the input records."""
        lines = ["events"]
        lines += [f"  {show(e)}  output" for e in map(anonymous, disjoint_patterns(self.output_events))]
        lines += [f"  {show_indicator(name, arity)}  input" for name, arity in sorted(self.input_events)]
        lines.append("fluents")
        lines += [f"  {show(p)}  {kind}" for p, kind in self._fvp_lines()]
        lines.append("records")
        lines += [f"  {record.layout}" for record in self.records]
        return "\n".join(lines) + "\n"

    def _fvp_lines(self) -> list[tuple[Term, str]]:
        output = [(p, "simple") for p in disjoint_patterns(self.simple)]
        output += [(p, "statically determined") for p in disjoint_patterns(self.static)]
        inputs = [p for p in self.used_fvps if _fluent_key(p) in self.input_fluents and not self.is_defined(p)]
        inputs += [p for p, _ in self.declared_inputs]
        output += [(p, f"input, as {' or '.join(self._shapes(p))}") for p in disjoint_patterns(inputs)]
        return sorted(((anonymous(p), kind) for p, kind in output), key=lambda line: show(line[0]))

    def _shapes(self, pattern: Term) -> tuple[str, ...]:
        """The shapes in which the values of a pattern arrive."""
        declared = dict.fromkeys(shape for p, shape in self.declared_inputs if may_match(p, pattern))
        return tuple(declared) or self.input_fluents[_fluent_key(pattern)]


def _fluent_key(pattern: Term) -> Key:
    assert isinstance(pattern, Struct)
    return name_and_arity(pattern.args[0])


def name_everything(description: EventDescription) -> Names:
    """The names of an event description."""
    used = [(condition, fvp) for condition, fvp in fvp_uses(description)]
    return Names(
        output_events=_distinct(rule.event for rule in description.point_rules if rule.kind == "happensAt"),
        used_events=_distinct(event for event, _ in event_uses(description)),
        simple=_distinct(simple_patterns(description)),
        static=_distinct(rule.fvp.term for rule in description.interval_rules),
        declared_inputs=[(d.pattern.term, d.shape) for d in description.inputs],
        used_fvps=_distinct(fvp.term for _, fvp in used),
        given_fvps=_distinct(open_arguments(g.entity) for g in description.given if isinstance(g.entity, Fvp)),
        number_uses=number_uses(description),
        joins=place_joins(description),
        input_facts=description.given,
        domain_entities=_distinct(entity for entity, _ in domain_entities(description)),
    )


def domain_entities(description: EventDescription) -> list[tuple[Term, Term]]:
    """The entities whose input records fill dynamic domains, each with the domain in terms of its variables."""
    dynamic = {name_and_arity(domain) for domain in description.dynamic_domains}
    pairs: list[tuple[Term, Term]] = []
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        goals = [goal for goal in grounding.goals if isinstance(goal, Struct)]
        pairs += [(entity, goal) for goal in goals if name_and_arity(goal) in dynamic]
    for collected in description.collected:
        pairs += [(entity, collected.domain) for entity in collected.entities]
    return [(entity, domain) for entity, domain in pairs if _is_entity(entity)]


def _is_entity(term: Term) -> bool:
    return is_callable(term.args[0] if is_fvp_term(term) else term)


def is_fvp_term(term: Term) -> TypeGuard[Struct]:
    """Whether a term is written as an FVP: `F=V`."""
    return isinstance(term, Struct) and term.name == "=" and len(term.args) == 2


def open_arguments(fvp: Fvp) -> Term:
    """The pattern of an FVP with constants as arguments replaced by variables."""

    def opened(argument: Term) -> Term:
        if isinstance(argument, Struct):
            return Struct(argument.name, tuple(map(opened, argument.args)))
        return Var("_#1")

    fluent = Struct(fvp.fluent.name, tuple(map(opened, fvp.fluent.args))) if isinstance(fvp.fluent, Struct) else None
    return Struct("=", (fluent or fvp.fluent, fvp.value), fvp.span)


def simple_patterns(description: EventDescription) -> list[Term]:
    """The initiated FVPs, and FVPs that are only terminated. A termination for any value defines no value."""
    initiated = [r.fvp.term for r in description.point_rules if r.kind == "initiatedAt"]
    initiated += [i.fvp.term for i in description.initially]
    initiated += [d.target.term for d in description.delays if d.target is not None]
    others = [r.fvp.term for r in description.point_rules if r.kind == "terminatedAt"]
    others += [d.source.term for d in description.delays]
    found = PatternIndex((pattern, None) for pattern in initiated)
    return initiated + [pattern for pattern in others if not found.has(pattern)]


def _distinct(patterns: Iterable[Term]) -> list[Term]:
    found: dict[Term, Term] = {}
    for pattern in patterns:
        found.setdefault(anonymous(pattern), pattern)
    return list(found.values())


def _all_conditions(description: EventDescription) -> Iterator[Condition]:
    bodies = [rule.body for rule in description.point_rules] + [delay.body for delay in description.delays]
    for body in bodies:
        for condition, _ in flat_conditions(body):
            yield condition


def event_uses(description: EventDescription) -> Iterator[tuple[Term, Span | None]]:
    """Every event that a condition uses, and its position."""
    for condition in _all_conditions(description):
        if isinstance(condition, Happens):
            yield condition.event, condition.span


def fvp_uses(description: EventDescription) -> Iterator[tuple[Span | None, Fvp]]:
    """Every FVP that a condition or an interval step uses, and its position."""
    for condition in _all_conditions(description):
        if isinstance(condition, Starts | Ends | Holds | Initiated | Terminated):
            yield condition.fvp.span or condition.span, condition.fvp
    for rule in description.interval_rules:
        for step in rule.body:
            if isinstance(step, HoldsFor):
                yield step.fvp.span or step.span, step.fvp


def check_names(description: EventDescription, names: Names, diagnostics: Diagnostics) -> None:
    """Report names with two definitions that exclude each other."""
    _check_kinds(description, names, diagnostics)
    effects = simple_patterns(replace(description, initially=[]))
    effects += [r.fvp.term for r in description.point_rules if r.kind == "terminatedAt" and is_ground(r.fvp.value)]
    effects += [delay.source.term for delay in description.delays if is_ground(delay.source.value)]
    simple = PatternIndex((pattern, pattern) for pattern in effects)
    defined = PatternIndex((pattern, pattern) for pattern in (*effects, *names.simple, *names.static))
    for rule in description.interval_rules:
        clash = simple.matching(rule.fvp.term)
        if clash:
            message = f"`{rule.fvp}` is defined by `holdsFor`, and as simple fluent{_at(clash[0])}"
            hint = "a value is either initiated and terminated, or computed from intervals"
            diagnostics.add("HF214", message, rule.fvp.span, hint)
    for pattern, _ in names.declared_inputs:
        clash = defined.matching(pattern)
        if clash:
            message = f"`{show(clash[0])}` is defined by rules, and declared as input{_at(pattern)}"
            diagnostics.add("HF214", message, clash[0].span, "give the derived value or fluent another name")
    _check_input_facts(description, names, diagnostics)
    static = PatternIndex((pattern, None) for pattern in names.static)
    for initially in description.initially:
        if static.has(initially.fvp.term):
            message = f"`{initially.fvp}` is statically determined and cannot have an initial value"
            diagnostics.add("HF216", message, initially.fvp.span, "only simple fluents have `initially`")


def _check_input_facts(description: EventDescription, names: Names, diagnostics: Diagnostics) -> None:
    """Report input facts for events and FVPs that rules define."""
    computed = PatternIndex((p, p) for p in (*names.simple, *names.static, *names.output_events))
    for given in description.given:
        term = given.entity.term if isinstance(given.entity, Fvp) else given.entity
        clash = computed.matching(term)
        if clash:
            message = f"`{show(term)}` is given as a fact, and defined by rules{_at(clash[0])}"
            diagnostics.add("HF214", message, given.span, "a fact is input: rename one of them")


def _at(pattern: Term) -> str:
    """The position of the other part of a contradiction."""
    return f" in line {pattern.span.line} of `{pattern.span.source.name}`" if pattern.span else ""


def _check_kinds(description: EventDescription, names: Names, diagnostics: Diagnostics) -> None:
    """Report names that are used both as events and as fluents with the same arity."""
    both = [key for key in names.events if key in names.fluents]
    for name, arity in both:
        spans = [span for event, span in event_uses(description) if name_and_arity(event) == (name, arity)]
        message = f"`{name}/{arity}` is used as an event and as a fluent"
        hint = "events stand in `happensAt`, fluents with their value in `holdsAt`; use two names"
        diagnostics.add("HF214", message, spans[0] if spans else None, hint)
