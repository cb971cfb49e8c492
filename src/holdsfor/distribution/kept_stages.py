"""The stages of changed rules in which the results of unchanged definitions continue.

A component of the new rules is *kept* if its fluents and events, and all that they depend on, are defined as before
(`analysis/definitions.py`). Kept components stay in the stages that have computed them, with the same keys, so that
their state continues. All others are computed in stages after these, which begin without a state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from holdsfor.analysis.definitions import canonical, unchanged_names
from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.patterns import pattern_name
from holdsfor.analysis.pipeline import Compiled
from holdsfor.distribution.stages import FixedStage, Stage, Stages, plan_stages
from holdsfor.errors import DataProblem, Diagnostic, Hint
from holdsfor.physical.plan import PhysicalProgram
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.terms import Term

__all__ = ["RESTARTED", "KeptStages", "PlannedRules", "keep_stages"]

Key = tuple[str, int]

RESTARTED = Hint(
    '`on_change="restart"` computes all results anew from the records in the window',
    on_command_line="`--on-change restart` computes all results anew from the records in the window",
)


@dataclass(frozen=True)
class PlannedRules:
    """Rules with their start-up goals and the plan of a run."""

    compiled: Compiled
    goals: tuple[Term, ...]
    program: PhysicalProgram

    @property
    def components(self) -> dict[int, frozenset[str]]:
        """The events and FVPs of each component."""
        return {each.number: frozenset(map(_written, each.vertices)) for each in self.program.logical.components}

    def plan(self, fixed: tuple[FixedStage, ...] = ()) -> Stages:
        return plan_stages(self.compiled, self.program, has_start_up_goals=bool(self.goals), fixed=fixed)


@dataclass(frozen=True)
class KeptStages:
    """The stages of changed rules.

    `components` has the new number of each kept component, by its old one. `positions` are the positions of the old
    stages that continue, which are the first new stages, in this order.
    """

    stages: Stages
    fixed: tuple[FixedStage, ...]
    components: Mapping[int, int]
    positions: tuple[int, ...]


def keep_stages(old: PlannedRules, stages: Stages, new: PlannedRules) -> KeptStages:
    """The stages of changed rules, after the `stages` of the old ones; HF797 if kept components cannot continue."""
    unchanged = unchanged_names(old.compiled, new.compiled, old.goals, new.goals)
    components = _kept_components(old, new, unchanged.names)
    kept = frozenset[str]().union(*(old.components[number] for number in components))
    parts = [{name: path for name, path in stage.fixed.items() if name in kept} for stage in stages.stages]
    positions = tuple(i for i, part in enumerate(parts) if part)
    fixed = tuple(parts[i] for i in positions)
    _check_units(new, set(components.values()), are_all=unchanged.are_all)
    _check_output(old.compiled, new.compiled, _names(new, components.values()))
    planned = new.plan(fixed)
    for position, stage in zip(positions, planned.stages, strict=False):
        _check_routes(stages.stages[position], stage)
    return KeptStages(planned, fixed, components, positions)


def _written(vertex: Vertex) -> str:
    return f"{vertex.kind} {vertex.label}"


# -- components --------------------------------------------------------------------------------------------------------


def _kept_components(old: PlannedRules, new: PlannedRules, names: Collection[Key]) -> dict[int, int]:
    """The kept components: the old number, and the new one."""
    before = {vertices: number for number, vertices in old.components.items()}
    kept = {number for number, vertices in new.components.items() if vertices in before}
    kept = {number for number in kept if _names(new, [number]) <= set(names)}
    while changed := _touched(new, kept) & kept:
        kept -= changed
    return {before[new.components[number]]: number for number in sorted(kept)}


def _touched(rules: PlannedRules, kept: Collection[int]) -> set[int]:
    """The components that read a component which is not kept, or have a name in common with it."""
    logical = rules.program.logical.components
    component_of = {vertex: each.number for each in logical for vertex in each.vertices}
    others = _names(rules, [each.number for each in logical if each.number not in kept])
    found = {each.number for each in logical if _names(rules, [each.number]) & others}
    for edge in rules.compiled.graph.edges:
        source = component_of.get(edge.source)
        if source is not None and source not in kept and edge.target in component_of:
            found.add(component_of[edge.target])
    return found


def _names(rules: PlannedRules, numbers: Collection[int]) -> set[Key]:
    """The names of the events and fluents of components."""
    wanted = set(numbers)
    logical = (each for each in rules.program.logical.components if each.number in wanted)
    return {pattern_name(vertex.pattern) for each in logical for vertex in each.vertices}


# -- refusals ----------------------------------------------------------------------------------------------------------


def _check_units(new: PlannedRules, kept: Collection[int], *, are_all: bool) -> None:
    """Refuse kept components that must be computed with others, or that depend on the constants of all records.

    The latter are the same if the definitions of all names are.
    """
    for unit in new.plan().units:
        own = [number for number in unit.components if number in kept]
        others = [number for number in unit.components if number not in kept]
        if own and unit.ranges_over_sorts and not are_all:
            message = f"the definition of {_shown(new, own)} did not change, but its results depend on the constants"
            raise _refused(f"{message} of the input, and so on all rules")
        if own and others:
            message = f"{_shown(new, others)} must be computed anew, but only together with {_shown(new, own)}, whose"
            raise _refused(f"{message} definition did not change")


def _shown(rules: PlannedRules, numbers: Collection[int]) -> str:
    return f"`{show_indicator(*min(_names(rules, numbers)))}`"


def _check_output(old: Compiled, new: Compiled, names: Collection[Key]) -> None:
    """Refuse another selection of the output of kept names."""
    for key in sorted(names):
        if _selected(old, key) != _selected(new, key):
            message = (
                f"the definition of `{show_indicator(*key)}` did not change, but another part of its results is shown"
            )
            raise _refused(message)


def _selected(rules: Compiled, key: Key) -> set[str] | None:
    if rules.selection is None:
        return None
    patterns = [each for is_fluent in (False, True) for each in rules.selection.of_name(key, is_fluent=is_fluent)]
    return {canonical(each).text for each in patterns}


def _check_routes(old: Stage, new: Stage) -> None:
    """Refuse other routes of the records and results that kept components read."""
    others = [table for table, how in new.receives if (table, how) not in old.receives]
    for _, name, arity in others:
        raise _refused(f"`{show_indicator(name, arity)}` would have to go to other buckets than before")


def _refused(message: str) -> DataProblem:
    return DataProblem(Diagnostic("HF797", message, hint=RESTARTED))
