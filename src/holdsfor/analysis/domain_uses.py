"""The dynamic domains whose members rules need for ever, and the members of other domains that results imply.

A session evicts a member when no record in the window and nothing in the state mentions it. This must not change an
answer, so each use of a domain has to be *implied*: the condition that binds the arguments is on a record that makes
them a member, or on an event or FVP whose grounding requires the domain. Then every binding that a rule can find
consists of members that are not evicted, and the other members make no difference.

Uses that are not implied range over members of the past, or test constants against them: initial values, complements,
open arguments of initiations, `vessel(V)` beside an event that does not fill the domain. The members of such domains
are kept for ever. A termination affects only fluents that hold or are initiated, so the grounding of its head is
implied, unless a condition `terminatedAt` reads terminations without an effect.

A session may read derived events and FVPs that another session computes, long after the records about their entities.
The members that they imply are then members of this session too. An additional member of a domain that is not kept
changes no answer, a missing one may: so every grounding counts here, also where an event or FVP has several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from holdsfor.analysis.domain_goals import Atoms, DomainGoals, fresh_variable, instantiated
from holdsfor.analysis.names import Names, domain_entities, is_fvp_term
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.patterns import pattern_name
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.rules import (
    Allen,
    Collect,
    Condition,
    Delay,
    Duration,
    Either,
    Ends,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    Intersect,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    Not,
    PointRule,
    RelativeComplement,
    Starts,
    Terminated,
    Test,
    Union,
    flat_conditions,
)
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity, variables

__all__ = ["DomainUses", "domain_uses"]

Key = tuple[str, int]

_NOTHING: Atoms = frozenset()


@dataclass(frozen=True)
class DomainUses:
    """How rules use dynamic domains.

    `lasting` are the domains, by name and arity, whose members must be kept for ever. `implied` are derived events and
    FVPs, each with a member of another domain that its existence implies, in terms of its variables.
    """

    lasting: frozenset[Key] = frozenset()
    implied: tuple[tuple[Term, Term], ...] = ()


def domain_uses(description: EventDescription, names: Names) -> DomainUses:
    """The dynamic domains that must be kept, and the members of other domains that derived events and FVPs imply."""
    domains = {name_and_arity(domain) for domain in description.dynamic_domains}
    domains |= {name_and_arity(collected.domain) for collected in description.collected}
    if not domains:
        return DomainUses()
    uses = _Uses(description, names, DomainGoals(description, frozenset(domains)))
    lasting = frozenset(name_and_arity(atom) for atom in uses.not_implied())
    return DomainUses(lasting, tuple(uses.implied_members(lasting)))


class _Uses:
    """The uses of dynamic domains in the rules and groundings of an event description."""

    def __init__(self, description: EventDescription, names: Names, goals: DomainGoals) -> None:
        self.description = description
        self.names = names
        self.goals = goals
        sources = [(e, domain) for e, domain in domain_entities(description) if self.may_be_input(e)]
        self.sources = PatternIndex((entity, (entity, domain)) for entity, domain in sources)
        entities = [each.entity for each in description.groundings]
        terms = [entity.term if isinstance(entity, Fvp) else entity for entity in entities]
        self.grounded = [(term, each.goals) for term, each in zip(terms, description.groundings, strict=True)]
        self.groundings = PatternIndex((each[0], each) for each in self.grounded)
        self._found_by_groundings: list[tuple[Term, Atoms]] = []

    def not_implied(self) -> Iterator[Term]:
        """The members that rules need although no condition implies them."""
        description = self.description
        for rule in description.point_rules:
            yield from self.in_point_rule(rule)
        for interval_rule in description.interval_rules:
            yield from self.in_interval_rule(interval_rule)
        for delay in description.delays:
            yield from self.in_delay(delay)
        for postponable in description.postponable:
            yield from self.in_body(postponable.body, self.by_entity(_any_value(postponable.fvp)))
        for initially in description.initially:
            yield from self.in_body(initially.body, _NOTHING)
            yield from self.in_grounding(initially.fvp.term, _NOTHING)
        for entity, goals in self.grounded:
            if self.may_be_input(entity):
                yield from self.among(goals, self.by_records(entity))

    # -- the members that conditions imply -----------------------------------------------------------------------------

    def by_records(self, entity: Term) -> Atoms:
        """The members that every record of an event or FVP mentions."""
        return _instances(self.sources, entity)

    def by_groundings(self, entity: Term) -> Atoms:
        """The members that every derived event or FVP requires."""
        parts = [
            self.goals.implied(instantiated(goal, declared, entity) for goal in goals)
            for declared, goals in self.groundings.matching(entity)
        ]
        found = frozenset.intersection(*parts) if parts else _NOTHING
        self._found_by_groundings.append((entity, found))
        return found

    def by_entity(self, entity: Term) -> Atoms:
        parts = [self.by_records(entity)] if self.may_be_input(entity) else []
        parts += [self.by_groundings(entity)] if self.may_be_derived(entity) else []
        return frozenset.intersection(*parts) if parts else _NOTHING

    def may_be_derived(self, entity: Term) -> bool:
        return self.names.is_defined(entity) if is_fvp_term(entity) else not self.may_be_input(entity)

    def may_be_input(self, entity: Term) -> bool:
        if is_fvp_term(entity):
            return self.names.is_input(entity)
        return name_and_arity(entity) in self.names.input_events

    def by_body(self, body: Iterable[Condition]) -> Atoms:
        """The members that the positive conditions on events and fluents imply."""
        return _NOTHING.union(*map(self.by_condition, body))

    def by_condition(self, condition: Condition) -> Atoms:
        match condition:
            case Happens(event):
                return self.by_entity(event)
            case Starts(fvp) | Ends(fvp) | Holds(fvp):
                return self.by_entity(fvp.term)
            case Initiated(fvp):
                return self.by_entity(_any_value(fvp))
            case Either(branches):
                return frozenset.intersection(*map(self.by_body, branches))
        return _NOTHING

    def by_lists(self, body: Iterable[IntervalStep]) -> dict[str, Atoms]:
        """By interval list, the members that are implied where the list is not empty."""
        found: dict[str, Atoms] = {}

        def of(lists: Iterable[Term]) -> list[Atoms]:
            return [found.get(each.name, _NOTHING) if isinstance(each, Var) else _NOTHING for each in lists]

        for step in body:
            match step:
                case HoldsFor(fvp, result):
                    found[result.name] = self.by_entity(fvp.term)
                case Union(lists, result):
                    found[result.name] = frozenset.intersection(*of(lists)) if lists else _NOTHING
                case Intersect(lists, result):
                    found[result.name] = _NOTHING.union(*of(lists))
                case RelativeComplement(base, _, result):
                    found[result.name] = of([base])[0]
                case Duration(intervals=intervals, result=result):
                    found[result.name] = of([intervals])[0]
                case Allen(source=source, target=target, result=result):
                    found[result.name] = _NOTHING.union(*of([source, target]))
                case IntervalCall(inputs=inputs, outputs=outputs, is_intervalwise=True):
                    found[outputs[0]] = found.get(inputs[0], _NOTHING)
        return found

    def implied_members(self, lasting: frozenset[Key]) -> Iterator[tuple[Term, Term]]:
        """Derived events and FVPs, each with a member of a domain that is not lasting.

        These are the declared ones, and those of conditions for which `by_groundings` has found more: a condition on
        `f(k(X))=true` may imply a member `X`, if a clause of the grounding of `f(Y)=true` has `k(X)` in its head.
        """
        found = PatternIndex[tuple[Term, Term]]()
        declared = [(e, self.goals.implied(goals)) for e, goals in self.grounded if self.may_be_derived(e)]
        candidates = ((e, atom) for e, atoms in (*declared, *self._found_by_groundings) for atom in atoms)
        for number, (entity, atom) in enumerate(candidates):
            is_evictable = name_and_arity(atom) not in lasting and set(variables(atom)) <= set(variables(entity))
            if is_evictable and atom not in _instances(found, entity):
                found.add(number, entity, (entity, atom))
                yield entity, atom

    # -- the members that rules need -----------------------------------------------------------------------------------

    def among(self, goals: Iterable[Term], implied: Atoms) -> Iterator[Term]:
        """The members that goals need, except the implied ones."""
        return (atom for goal in goals for atom in self.goals.needed(goal) if atom not in implied)

    def in_body(self, body: Sequence[Condition], given: Atoms) -> Iterator[Term]:
        implied = given | self.by_body(body)
        for condition in body:
            match condition:
                case Test(goal):
                    yield from self.among((goal,), implied)
                case Not(inner) | Collect(body=inner):
                    yield from self.in_body(inner, implied)
                case Either(branches):
                    for branch in branches:
                        yield from self.in_body(branch, implied)

    def in_grounding(self, entity: Term, implied: Atoms) -> Iterator[Term]:
        """The members that the groundings of a derived event or FVP need."""
        for declared, goals in self.groundings.matching(entity):
            yield from self.among((instantiated(goal, declared, entity) for goal in goals), implied)

    def in_point_rule(self, rule: PointRule) -> Iterator[Term]:
        head = rule.event if rule.kind == "happensAt" else _any_value(rule.fvp)
        if rule.kind == "terminatedAt" and pattern_name(head) not in self._broken:
            yield from self.in_body(rule.body, self.by_entity(head))
            return
        yield from self.in_body(rule.body, _NOTHING)
        yield from self.in_grounding(head, self.by_body(rule.body))

    def in_delay(self, delay: Delay) -> Iterator[Term]:
        given = self.by_entity(_any_value(delay.source))
        yield from self.in_body(delay.body, given)
        if delay.target is not None:
            yield from self.in_grounding(_any_value(delay.target), given | self.by_body(delay.body))

    def in_interval_rule(self, rule: IntervalRule) -> Iterator[Term]:
        lists = self.by_lists(rule.body)
        implied = lists.get(rule.result.name, _NOTHING) if isinstance(rule.result, Var) else _NOTHING
        for step in rule.body:
            match step:
                case Test() | Not():
                    yield from self.in_body((step,), implied)
                case IntervalCall(goal=goal):
                    yield from self.among((goal,), implied)
        yield from self.in_grounding(rule.fvp.term, implied)

    @cached_property
    def _broken(self) -> set[Key]:
        """The fluents whose breaks a condition reads."""
        bodies = [*(rule.body for rule in self.description.point_rules), *(d.body for d in self.description.delays)]
        conditions = (condition for body in bodies for condition, _ in flat_conditions(body))
        return {name_and_arity(each.fvp.fluent) for each in conditions if isinstance(each, Terminated)}


def _instances(sources: PatternIndex[tuple[Term, Term]], entity: Term) -> Atoms:
    """The members that an event or FVP implies, from patterns that subsume it."""
    return frozenset(
        instantiated(domain, source, entity)
        for source, domain in sources.matching(entity)
        if _subsumes(source, entity) and set(variables(domain)) <= set(variables(source))
    )


def _subsumes(pattern: Term, term: Term) -> bool:
    """Whether every instance of a term is an instance of the pattern."""
    binding: dict[str, Term] = {}
    pairs = [(pattern, term)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, Var):
            if binding.setdefault(left.name, right) != right:
                return False
        elif isinstance(left, Struct) and isinstance(right, Struct):
            if left.name != right.name or len(left.args) != len(right.args):
                return False
            pairs.extend(zip(left.args, right.args, strict=True))
        elif left != right:
            return False
    return True


def _any_value(fvp: Fvp) -> Term:
    """The FVP with any value: effects are restricted by the groundings of all values of a fluent."""
    return Struct("=", (fvp.fluent, fresh_variable()))
