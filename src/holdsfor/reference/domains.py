"""The possible instances of events and FVPs: groundings, dynamic domains, and constants of the input and the
background.

A fluent with `grounding` rules has the instances of these rules. For a fluent without, a variable ranges over the
constants of its *sort*: the constants that the input, the background knowledge and the rules mention in the places that
the rules connect with the variable's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product

from holdsfor.analysis.names import Names, domain_entities
from holdsfor.analysis.sorts import Sorts
from holdsfor.prolog import Database, Engine, standard_order_key
from holdsfor.prolog.background import grounding_clauses
from holdsfor.reference.matching import Binding, match
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Atom, Struct, Term, Var, is_ground, name_and_arity, substitute, variables

__all__ = ["Domains", "fill_dynamic_domains"]


def fill_dynamic_domains(
    description: EventDescription, names: Names, input_terms: Iterable[Term], database: Database
) -> None:
    """Add the members that the input gives to the dynamic domains to the database."""
    dynamic = {name_and_arity(domain) for domain in description.dynamic_domains}
    dynamic |= {name_and_arity(collected.domain) for collected in description.collected}
    sources = [(entity, domain) for entity, domain in domain_entities(description) if _is_input(entity, names)]
    for name, arity in sorted(dynamic):
        database.declare_dynamic(name, arity)
    for member in sorted(_members(sources, input_terms), key=standard_order_key):
        database.add_clause(member, None, None)


def _is_input(entity: Term, names: Names) -> bool:
    if isinstance(entity, Struct) and entity.name == "=":
        return names.is_input(entity)
    return name_and_arity(entity) not in {name_and_arity(e) for e in names.output_events}


def _members(sources: list[tuple[Term, Term]], input_terms: Iterable[Term]) -> set[Term]:
    members: set[Term] = set()
    for term in input_terms:
        for entity, domain in sources:
            binding = match(entity, term, {})
            if binding is not None:
                member = substitute(domain, binding)
                if is_ground(member):
                    members.add(member)
    return members


def _renamed(*terms: Term) -> tuple[Term, ...]:
    """The terms with variables renamed apart from those of patterns."""
    names: dict[str, Term] = {name: Var(f"_#grounding {name}") for name in variables(*terms)}
    return tuple(substitute(term, names) for term in terms)


class Domains:
    """The instances of every pattern, and whether an instance is in its declared grounding."""

    def __init__(self, description: EventDescription, engine: Engine, sorts: Callable[[], Sorts]) -> None:
        self.engine = engine
        self.sorts = cache(sorts)
        self.grounded = {
            name_and_arity(g.entity.fluent if isinstance(g.entity, Fvp) else g.entity) for g in description.groundings
        }
        self.rules = [
            _renamed(clause.head.args[0], clause.body or Atom("true"))
            for clause in grounding_clauses(description)
            if isinstance(clause.head, Struct)
        ]
        self.includes = cache(self._includes)
        self.includes_fluent = cache(self._includes_fluent)

    def is_declared(self, pattern: Term) -> bool:
        """Whether the fluent or event of the pattern has a grounding."""
        is_fvp = isinstance(pattern, Struct) and pattern.name == "="
        return name_and_arity(pattern.args[0] if is_fvp else pattern) in self.grounded  # type: ignore[union-attr]

    def _includes(self, term: Term) -> bool:
        """Whether a ground event or FVP may be derived."""
        return not self.is_declared(term) or self.engine.holds(Struct("grounding", (term,)))

    def _includes_fluent(self, fluent: Term) -> bool:
        """Whether some value of the ground fluent may be derived."""
        open_value = Struct("=", (fluent, Var("Value")))
        return not self.is_declared(open_value) or next(self.declared(open_value), None) is not None

    def instances(self, pattern: Term) -> Iterator[Term]:
        """The ground instances of a pattern, each once."""
        if is_ground(pattern):
            yield pattern
            return
        if not self.is_declared(pattern):
            yield from self.over_sorts(pattern)
            return
        seen: set[Term] = set()
        for instance in self.declared(pattern):
            if instance not in seen:
                seen.add(instance)
                yield instance

    def declared(self, pattern: Term) -> Iterator[Term]:
        """The ground instances of a pattern by grounding rules; an instance may occur several times."""
        for entity, goal in self.rules:
            unifier = self.engine.once(Struct("=", (pattern, entity)))
            if unifier is not None:
                yield from self.satisfying(substitute(pattern, unifier), substitute(goal, unifier))

    def satisfying(self, pattern: Term, goal: Term) -> Iterator[Term]:
        """The ground instances of a pattern that satisfy a goal.

        Variables that the goal leaves unbound, or needs, range over their sorts.
        """
        needed = self.engine.groundness.needed(goal, set())
        after = self.engine.groundness.after(goal, needed)
        names = [name for name in variables(pattern) if name in set(variables(goal)) - (after - needed)]
        if not needed:
            for answer in self.engine.solve(goal):
                instances = self.over_sorts(substitute(pattern, answer))
                yield from (each for each in instances if not names or self.includes(each))
        for choice in product(*(self.sorts().members(pattern, name) for name in names)) if names else ():
            given = dict(zip(names, choice, strict=True))
            for answer in self.engine.solve(substitute(goal, given)):
                yield from self.over_sorts(substitute(pattern, {**answer, **given}))

    def head_instances(self, head: Term) -> Iterator[Term]:
        """The ground instances of the head of an effect or event, each once.

        The arguments of a fluent range over the groundings of all its values, not only of the head's value.
        """
        if not isinstance(head, Struct) or head.name != "=" or not is_ground(head.args[1]):
            yield from self.instances(head)
            return
        for fluent in self.fluent_instances(head.args[0]):
            yield Struct("=", (fluent, head.args[1]))

    def fluent_instances(self, fluent: Term) -> Iterator[Term]:
        """The ground instances of a fluent in the groundings of its values, each once."""
        if is_ground(fluent):
            yield fluent
            return
        open_value = Struct("=", (fluent, Var("Value")))
        if not self.is_declared(open_value):
            yield from self.over_sorts(fluent)
            return
        seen: dict[Term, None] = {}
        for instance in self.declared(open_value):
            assert isinstance(instance, Struct)
            seen[instance.args[0]] = None
        yield from seen

    def ranging(self, head: Term, name: str, binding: Binding) -> Iterator[Binding]:
        """The extensions of a binding with a value for a head variable.

        In a declared grounding, all arguments then have values. Without one, only this variable ranges over its sort.
        """
        if not self.is_declared(head):
            for member in self.sorts().members(head, name):
                yield {**binding, name: member}
            return
        is_fvp = isinstance(head, Struct) and head.name == "="
        part = head.args[0] if is_fvp and isinstance(head, Struct) else head
        if name not in variables(part):
            part = head
        pattern = substitute(part, binding)
        for instance in self.instances(pattern) if part is head else self.fluent_instances(pattern):
            extended = match(part, instance, binding)
            if extended is not None:
                yield extended

    def over_sorts(self, pattern: Term) -> Iterator[Term]:
        """The pattern with its variables replaced by every constant of their sorts."""
        names = list(variables(pattern))
        choices: Iterable[tuple[Term, ...]] = product(*(self.sorts().members(pattern, name) for name in names))
        for choice in choices:
            yield substitute(pattern, dict(zip(names, choice, strict=True)))
