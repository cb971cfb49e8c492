"""The stages of a program by key, for the evaluation of some keys alone.

The stages of `distribution/stages.py` say which rules share a key, and which rows of other tables a key needs. The same
argument holds inside one process: the results of some keys are exact if the evaluation has all rows that these keys
need. A stage is *keyed* here if the key of each of its results is one argument, and if the key is a variable of every
list whose intervals are carried from one time range to the next. Other stages are evaluated whole.

A stage is divided by *depth*: components that depend on operators over whole intervals decide their results later than
the others, so the two are resumed at different time-points. Components whose state is not only what holds, such as
those with delayed effects, are separate from the others, which are corrected in stretches of time
(`runtime/incremental/corrections.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import Key, Relation
from holdsfor.distribution.background_maps import Hop
from holdsfor.distribution.joins import Path, term_at
from holdsfor.distribution.keys import Broadcast, Distribution, HashRoute, MapRoute, SemijoinRoute, Unit, table_of
from holdsfor.distribution.stages import Stage, plan_stages
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.kernels.membership import is_member
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.deciding_levels import deciding_nodes
from holdsfor.physical.interval_operators.constant_intervals import ConstantIntervals
from holdsfor.physical.interval_operators.intersect_intervals import IntersectIntervals
from holdsfor.physical.interval_operators.interval_terms import intervals_of_term
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.interval_operators.subtract_intervals import SubtractIntervals
from holdsfor.physical.interval_operators.union_intervals import UnionIntervals
from holdsfor.physical.plan import PhysicalProgram, PlannedComponent
from holdsfor.syntax.terms import Var

if TYPE_CHECKING:
    from holdsfor.runtime.delays import SetUp
    from holdsfor.runtime.prepared_rules import PreparedRules

__all__ = ["Columns", "KeyStage", "Keys", "TableName", "key_stages"]

TableName = tuple[bool, Key]
"""Whether a table has FVPs, and its name and arity."""

Columns = Callable[[TableName], Sequence[Int64]]
"""The columns of words of a table."""

Keys = Int64 | None
"""Words of keys, sorted and distinct; None for all keys."""

Depth = tuple[int, bool]

_POINTWISE = (ReadFluent, IntersectIntervals, SubtractIntervals, UnionIntervals)
"""The operators whose results at a time-point depend on nothing before it."""
_MANY_COMPONENTS = 400  # components of a program for which stages are not planned


@dataclass(frozen=True)
class KeyStage:
    """Components (by position) that are evaluated together.

    `results` has the tables that they compute, each with the argument that is its key, `routes` the tables that they
    read; without `routes` they read all tables. `variables` has the key variable of each interval rule. `sources` has,
    for each component with delayed effects, the argument of the source of each effect that is its key. `deciding` has
    the operators over whole intervals of each component; `is_relating` says that one of them is an Allen construct. A
    stage is *inertial* if the FVPs that hold at a time-point are all that later results need of earlier ones. `literal`
    has the starts and ends of intervals that rules over whole intervals contain: no row changes there.
    """

    components: tuple[int, ...]
    results: dict[TableName, int]
    routes: dict[TableName, tuple[Distribution, ...]] | None
    is_keyed: bool
    variables: dict[int, str] = field(default_factory=dict)
    sources: dict[int, tuple[int, ...]] = field(default_factory=dict)
    deciding: tuple[tuple[NodeId, ...], ...] = ()
    is_relating: bool = False
    is_inertial: bool = False
    literal: tuple[int, ...] = ()

    def reads(self, name: TableName) -> bool:
        """Whether the components read a table."""
        return self.routes is None or name in self.routes

    def has_literal_edges(self, after: int, last: int) -> bool:
        """Whether a literal interval under an operator over whole intervals starts or ends between two time-points."""
        return any(after < edge <= last for edge in self.literal)

    def touched(self, changed: Mapping[TableName, Sequence[Int64]], columns: Columns, facts: Facts) -> Keys:
        """The keys that need a row of changed tables, given as columns of words."""
        found: list[Int64] = []
        for name, rows in changed.items():
            if not self.reads(name):
                continue
            if self.routes is None or not self.is_keyed:
                return None
            for route in self.routes[name]:
                keys = _keys_of(route, rows, columns, facts)
                if keys is None:
                    return None
                found.append(keys)
        return distinct_values(concatenate_column(found)) if found else np.empty(0, np.int64)

    def waiting_keys(self, pending: Mapping[int, Sequence[SetUp | None]]) -> Keys:
        """The keys of the sources of pending effects."""
        found: list[Int64] = []
        for number in self.components:
            waiting = pending.get(number, ())
            if waiting and number not in self.sources:
                return None
            for each, argument in zip(waiting, self.sources.get(number, ()), strict=True):
                if each is not None and each.rows.n:
                    found.append(each.rows.columns[f"#{argument}"])
        return distinct_values(concatenate_column(found)) if found else np.empty(0, np.int64)

    def needed(self, name: TableName, own: Sequence[Int64], keys: Keys, columns: Columns, facts: Facts) -> Mask | None:
        """Which rows of a table some keys need; None for all rows."""
        if keys is None or not own or self.routes is None:
            return None
        found = np.zeros(len(own[0]), dtype=bool)
        for route in self.routes[name]:
            match route:
                case HashRoute(argument):
                    found |= is_member(own[argument], keys)
                case MapRoute(argument, hops):
                    words, theirs = _mapped(hops, facts)
                    found |= is_member(own[argument], distinct_values(words[is_member(theirs, keys)]))
                case SemijoinRoute(argument, guard, partner, owner):
                    rows = columns((guard[0] == "fluent", guard[1:]))
                    partners = rows[partner][is_member(rows[owner], keys)] if rows else np.empty(0, np.int64)
                    found |= is_member(own[argument], distinct_values(partners))
                case Broadcast():
                    return None
        return found


Facts = Callable[[Key], Relation]
"""The facts of a predicate of the background knowledge."""


def _keys_of(route: Distribution, rows: Sequence[Int64], columns: Columns, facts: Facts) -> Keys:
    """The keys to which a route sends some rows; None for all keys."""
    match route:
        case HashRoute(argument):
            return rows[argument]
        case MapRoute(argument, hops):
            words, keys = _mapped(hops, facts)
            return keys[is_member(words, distinct_values(rows[argument]))]
        case SemijoinRoute(argument, guard, partner, owner):
            guards = columns((guard[0] == "fluent", guard[1:]))
            if not guards:
                return np.empty(0, np.int64)
            return guards[owner][is_member(guards[partner], distinct_values(rows[argument]))]
        case Broadcast():
            return None


def _mapped(hops: Iterable[Hop], facts: Facts) -> tuple[Int64, Int64]:
    """The pairs of a constant and a key to which facts of the background knowledge lead."""
    words: Int64 | None = None
    keys = np.empty(0, np.int64)
    for hop in hops:
        relation = facts((hop.name, hop.arity))
        here, there = relation.columns[hop.source], relation.columns[hop.target]
        if words is None:
            words, keys = here, there
            continue
        one, other = pairs_of_equal_keys([keys], len(keys), [here], len(here))
        words, keys = words[one], there[other]
    assert words is not None
    return words, keys


def key_stages(rules: PreparedRules) -> tuple[KeyStage, ...]:
    """The stages of prepared rules; one stage with all components if the results of a name have several stages."""
    program, compiled = rules.program, rules.compiled
    whole = _whole(program.by_number, program, None)
    if len(program.components) > _MANY_COMPONENTS:
        return (whole,)
    stages = plan_stages(compiled, program, has_start_up_goals=bool(rules.goals))
    depths, reads = _depths(stages.units, program), _reads(stages.units)
    keyed = [_key_stage(stage, program) for stage in stages.stages]
    planned = [part for stage in keyed for part in _by_depth(stage, depths, reads, program)]
    names = [name for stage in planned for name in stage.results]
    inputs = {(False, key) for key in compiled.names.input_events}
    if len(set(names)) < len(names) or inputs & set(names):
        return (whole,)
    return tuple(planned)


def _depths(units: Sequence[Unit], program: PhysicalProgram) -> dict[int, Depth]:
    """The depth of each component.

    It is the number of units with operators over whole intervals on a path that ends in the component, and whether it
    is, or depends on, a component of the same number that is not inertial.
    """
    depths: list[Depth] = []
    found: dict[int, Depth] = {}
    for unit in units:
        is_deciding = any(deciding_nodes(program.by_number[number]) for number in unit.components)
        before = [depths[i] for i in unit.depends_on]
        number = max((n for n, _ in before), default=0) + is_deciding
        depths.append((number, not _are_inertial(unit.components, program) or (number, True) in before))
        found |= dict.fromkeys(unit.components, depths[-1])
    return found


def _reads(units: Sequence[Unit]) -> dict[int, set[TableName]]:
    """For each component, the tables that its unit reads."""
    found: dict[int, set[TableName]] = {}
    for unit in units:
        tables = {table_of(vertex) for rule in unit.rules for vertex in rule.reads}
        names = {(kind == "fluent", (name, arity)) for kind, name, arity in tables}
        found |= dict.fromkeys(unit.components, names)
    return found


def _by_depth(
    stage: KeyStage, depths: dict[int, Depth], reads: dict[int, set[TableName]], program: PhysicalProgram
) -> list[KeyStage]:
    """A stage divided by the depths of its components; a later part reads the results of the earlier ones."""
    found: list[KeyStage] = []
    computed: dict[TableName, tuple[Distribution, ...]] = {}
    for depth in sorted({depths[number] for number in stage.components}):
        components = tuple(number for number in stage.components if depths[number] == depth)
        own = dict.fromkeys(_computed(program.by_number[number] for number in components))
        results = {name: stage.results[name] for name in own}
        read = {name for number in components for name in reads[number]}
        together = None if stage.routes is None else {**stage.routes, **computed}
        routes = None if together is None else {name: each for name, each in together.items() if name in read}
        found.append(replace(stage, components=components, results=results, routes=routes))
        computed |= {name: ((HashRoute(at) if stage.is_keyed else Broadcast()),) for name, at in results.items()}
    return [
        replace(
            part,
            deciding=_deciding(part.components, program),
            is_relating=_relates(part.components, program),
            is_inertial=part.is_keyed and _are_inertial(part.components, program),
            literal=_literal_edges(part.components, program),
        )
        for part in found
    ]


def _deciding(numbers: Iterable[int], program: PhysicalProgram) -> tuple[tuple[NodeId, ...], ...]:
    return tuple(nodes for number in numbers if (nodes := deciding_nodes(program.by_number[number])))


def _literal_edges(numbers: Iterable[int], program: PhysicalProgram) -> tuple[int, ...]:
    deciding = [program.by_number[number] for number in numbers if deciding_nodes(program.by_number[number])]
    operators = (operator for each in deciding for rule in each.interval_rules for operator in rule.operators)
    literal = (intervals_of_term(each.term, each.span) for each in operators if isinstance(each, ConstantIntervals))
    return tuple(sorted({edge for intervals in literal for interval in intervals for edge in interval}))


def _relates(numbers: Iterable[int], program: PhysicalProgram) -> bool:
    rules = [rule for number in numbers for rule in program.by_number[number].interval_rules]
    return any(isinstance(operator, RelateIntervals) for rule in rules for operator in rule.operators)


def _are_inertial(numbers: Iterable[int], program: PhysicalProgram) -> bool:
    components = [program.by_number[number] for number in numbers]
    rules = [rule for component in components for rule in component.interval_rules]
    fluents = [fluent for component in components for fluent in component.fluents.values()]
    return (
        all(isinstance(operator, _POINTWISE) for rule in rules for operator in rule.operators)
        and not any(fluent.initially for fluent in fluents)
        and not any(component.delays for component in components)
        and not program.edges
    )


def _key_stage(stage: Stage, program: PhysicalProgram) -> KeyStage:
    components = [program.by_number[number] for number in stage.components]
    routes: dict[TableName, list[Distribution]] = {}
    for (kind, name, arity), route in stage.receives:
        if kind != "domain":
            routes.setdefault((kind == "fluent", (name, arity)), []).append(route)
    received = {name: tuple(dict.fromkeys(found)) for name, found in routes.items()}
    paths: dict[TableName, set[Path]] = {}
    for vertex in stage.computes:
        kind, name, arity = table_of(vertex)
        paths.setdefault((kind == "fluent", (name, arity)), set()).add(stage.paths.get(vertex, ()))
    whole = _whole(stage.components, program, received)
    if not stage.is_keyed or any(len(found) > 1 or len(next(iter(found))) != 1 for found in paths.values()):
        return whole
    results = {name: next(iter(found))[0] for name, found in paths.items()}
    if set(results) != set(whole.results):
        return whole
    variables = _key_variables(components, results)
    if variables is None:
        return whole
    sources = {each.number: tuple(results[True, delay.key] for delay in each.delays) for each in components}
    return KeyStage(stage.components, results, received, True, variables, sources)


def _whole(
    numbers: Iterable[int], program: PhysicalProgram, received: dict[TableName, tuple[Distribution, ...]] | None
) -> KeyStage:
    """The stage of components that are evaluated for all keys."""
    components = tuple(numbers)
    results = dict.fromkeys(_computed(program.by_number[number] for number in components), 0)
    return KeyStage(components, results, received, False, {}, {}, _deciding(components, program), True)


def _computed(components: Iterable[PlannedComponent]) -> Iterable[TableName]:
    for component in components:
        yield from ((False, rule.key) for rule in component.events)
        yield from ((True, key) for key in component.fluents)
        yield from ((True, rule.head.shape.key) for rule in component.interval_rules)


def _key_variables(components: Sequence[PlannedComponent], results: dict[TableName, int]) -> dict[int, str] | None:
    """The key variable of each interval rule; None if a list with state does not vary by it."""
    found: dict[int, str] = {}
    for component in components:
        for planned in component.interval_rules:
            term = term_at(planned.rule.fvp.term, (results[True, planned.head.shape.key],))
            varies = {operator.output: operator.names for operator in planned.operators}
            stateful = [operator for operator in planned.operators if operator.id is not None]
            lists = [operator.names for operator in stateful]
            lists += [varies[name] for each in stateful if isinstance(each, RelateIntervals) for name in each.inputs]
            if lists and not (isinstance(term, Var) and all(term.name in names for names in lists)):
                return None
            if isinstance(term, Var):
                found[planned.rule.number] = term.name
    return found
