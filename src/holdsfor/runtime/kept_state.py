"""The state of a session for other rules, which have some components in common with the rules of the state.

Parts of a state belong to components, interval rules and delays by number, and to variables by name. All of these may
differ between two texts with the same definitions (`analysis/definitions.py`). A state for the other rules has the
parts of the common components, with the numbers and names of the other rules.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from holdsfor.analysis.definitions import Canonical, canonical
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Key
from holdsfor.distribution.kept_stages import PlannedRules
from holdsfor.distribution.stages import Table
from holdsfor.logical.nodes import NodeId
from holdsfor.logical.program import LogicalComponent
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.rows import Rows
from holdsfor.runtime.allen_constructs import KeptIntervals
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.initial_values import InitialValues
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.state import State
from holdsfor.runtime.upstream_results import UpstreamResults
from holdsfor.syntax.rules import IntervalRule

__all__ = ["CommonRules", "common_rules", "kept_state"]

Value = TypeVar("Value")
Names = Mapping[str, str]


@dataclass(frozen=True)
class CommonRules:
    """The common components of two programs by their old numbers, with the new ones.

    `rules` has the new number of each interval rule, and the new names of its variables and lists. `delays` has for
    each new component the old positions of its delays, and the new names of their variables.
    """

    components: Mapping[int, int]
    rules: Mapping[int, tuple[int, Names]]
    delays: Mapping[int, tuple[tuple[int, Names], ...]]


def common_rules(old: PlannedRules, new: PlannedRules, components: Mapping[int, int]) -> CommonRules:
    """The rules of components that both programs have, given by their old numbers."""
    before = {component.number: component for component in old.program.logical.components}
    after = {component.number: component for component in new.program.logical.components}
    rules: dict[int, tuple[int, Names]] = {}
    delays: dict[int, tuple[tuple[int, Names], ...]] = {}
    for number, other in components.items():
        own, others = _interval_rules(old, before[number]), _interval_rules(new, after[other])
        for rule, (i, names) in zip(own, _paired(own, others), strict=True):
            rules[rule.number] = others[i].number, names
        found = _paired(after[other].delays, before[number].delays)
        delays[other] = tuple((i, {name: own for own, name in names.items()}) for i, names in found)
    return CommonRules(components, rules, delays)


def _interval_rules(rules: PlannedRules, component: LogicalComponent) -> list[IntervalRule]:
    """The interval rules of a component as they are written: rewrites keep their numbers."""
    written = rules.compiled.description.interval_rules
    return [written[each.rule.number] for each in component.intervals]


def _paired(rules: Sequence[Any], others: Sequence[Any]) -> list[tuple[int, dict[str, str]]]:
    """For each rule the position of another one with the same text, and the names of its variables there."""
    waiting: dict[str, list[tuple[int, Canonical]]] = {}
    for i, other in enumerate(map(canonical, others)):
        waiting.setdefault(other.text, []).append((i, other))
    found: list[tuple[int, dict[str, str]]] = []
    for form in map(canonical, rules):
        i, other = waiting[form.text].pop(0)
        found.append((i, dict(zip(form.names, other.names, strict=True))))
    return found


def kept_state(state: State, common: CommonRules, tables: Collection[Table], symbols: Symbols) -> State:
    """The parts of a state that the common components need; `tables` are those that they read and compute."""
    fluents = {(name, arity) for kind, name, arity in tables if kind == "fluent"}
    initial = {
        (common.components[number], name, arity): relation
        for (number, name, arity), relation in state.initial.known.items()
        if number in common.components
    }
    return replace(
        state,
        records=_records(state.records, tables),
        computed=_computed(state.computed, tables, symbols),
        held=_of_names(state.held, fluents),
        edges={(kind, key): points for (kind, key), points in state.edges.items() if key in fluents},
        pending=_pending(state, common),
        prefixes=_lists(state.prefixes, common),
        made=_lists(state.made, common),
        allen=_by_node(state.allen, common, _renamed_kept),
        complements=_by_node(state.complements, common, _renamed_rows),
        ranges=_by_node(state.ranges, common, lambda words, _: words),
        horizons=_by_node(state.horizons, common, lambda longest, _: longest),
        settled_cuts=_of_names(state.settled_cuts, fluents),
        settled_input_cuts=_of_names(state.settled_input_cuts, fluents),
        initial=InitialValues(initial),
        computed_cuts=_of_names(state.computed_cuts, fluents),
        cuts=_of_names(state.cuts, fluents),
    )


def _of_names(found: Mapping[Key, Value], names: Collection[Key]) -> dict[Key, Value]:
    return {key: value for key, value in found.items() if key in names}


def _records(before: RecordStore, tables: Collection[Table]) -> RecordStore:
    store = copy(before)
    store.events = {key: each for key, each in before.events.items() if ("event", *key) in tables}
    store.fluents = {key: each for key, each in before.fluents.items() if ("fluent", *key) in tables}
    store.retractions = {
        (is_event, key): each
        for (is_event, key), each in before.retractions.items()
        if ("event" if is_event else "fluent", *key) in tables
    }
    return store


def _computed(before: UpstreamResults, tables: Collection[Table], symbols: Symbols) -> UpstreamResults:
    computed = UpstreamResults(symbols.instances)
    for key, points, since, until in before.all_events():
        if ("event", *key) in tables:
            computed.add_events(key, points, since, until)
    for key, table, since, until in before.all_fluents():
        if ("fluent", *key) in tables:
            computed.add_fluents(key, table, since, until)
    return computed


# -- numbers and names -------------------------------------------------------------------------------------------------


def _pending(state: State, common: CommonRules) -> dict[int, tuple[SetUp | None, ...]]:
    found: dict[int, tuple[SetUp | None, ...]] = {}
    for number, effects in state.pending.items():
        if number in common.components:
            other = common.components[number]
            found[other] = tuple(_renamed_set_up(effects[i], names) for i, names in common.delays[other])
    return found


def _by_node(found: Mapping[NodeId, Value], common: CommonRules, renamed: Any) -> dict[NodeId, Value]:
    """The values of the nodes of common rules."""
    kept: dict[NodeId, Value] = {}
    for (number, name), value in found.items():
        if number in common.rules:
            other, names = common.rules[number]
            kept[other, names[name]] = renamed(value, names)
    return kept


def _lists(found: Mapping[NodeId, Lists], common: CommonRules) -> dict[NodeId, Lists]:
    return _by_node(found, common, _renamed_lists)


def _renamed_lists(lists: Lists, names: Names) -> Lists:
    return Lists(_renamed_rows(lists.rows, names), lists.starts, lists.ends)


def _renamed_kept(kept: KeptIntervals, names: Names) -> KeptIntervals:
    cut = None if kept.cut is None else _renamed_kept(kept.cut, names)
    return KeptIntervals(_renamed_lists(kept.sources, names), _renamed_lists(kept.targets, names), cut)


def _renamed_rows(rows: Rows, names: Names) -> Rows:
    """Rows with other names of variables; the names of other columns are not those of a rule."""
    return Rows(rows.n, {names.get(name, name): column for name, column in rows.columns.items()}, rows.times)


def _renamed_set_up(effects: SetUp | None, names: Names) -> SetUp | None:
    return None if effects is None else replace(effects, rows=_renamed_rows(effects.rows, names))
