"""Stages: which rules are evaluated in parallel, by which key, and how each table reaches them.

A stage computes components of the program. In a *keyed* stage, each computed event and FVP has a path
(`holdsfor.distribution.joins`), and the bucket that owns the constant at this path computes it. The result is exact if
the bucket of every head has all rows that the body of the rule reads:

- A body atom that the stage itself computes has the same key as the head.
- Input and results of earlier stages are sent *by the argument* that is the key, or *mapped* by facts of the background
  knowledge to every key to which the facts lead, or *by semijoin* with a guard of the rule to every key that the guard
  selects, or, without arguments, to all buckets.
- Members of dynamic domains are sent by the key if the grounding names its argument, else to all buckets.

A bucket may receive rows for keys that it does not own, and may then compute results for these keys from incomplete
input. All received rows are true and the rows for owned keys are complete, so the results for owned keys are right; the
other results are dropped. Background knowledge is on all workers.

Rules without a key are computed in one bucket, with everything that depends on them: the answer is right, but not
computed in parallel. `index/2` declarations choose between equally good keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.patterns import pattern_name
from holdsfor.analysis.pipeline import Compiled
from holdsfor.distribution.background_maps import BackgroundMaps
from holdsfor.distribution.joins import Path, position
from holdsfor.distribution.keys import (
    Broadcast,
    Distribution,
    HashRoute,
    Joins,
    Keying,
    MapRoute,
    Routed,
    SemijoinRoute,
    Table,
    Unit,
    table_of,
)
from holdsfor.distribution.units import NEEDED, units_of
from holdsfor.physical.plan import PhysicalProgram
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.program import FactTable
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import name_and_arity

__all__ = [
    "Broadcast",
    "Distribution",
    "FixedStage",
    "HashRoute",
    "MapRoute",
    "OneBucketCause",
    "SemijoinRoute",
    "Stage",
    "Stages",
    "Table",
    "plan_stages",
]


@dataclass(frozen=True)
class OneBucketCause:
    """An event or FVP that is computed in one bucket because of its own rules, the reason, and the place of a rule."""

    name: str
    reason: str
    span: Span | None


@dataclass(frozen=True)
class Stage:
    """Components (by number in the program) that are computed together.

    `paths` has the key of each event and FVP. A stage in one bucket has no paths; its `reasons` say why, and its
    `causes` are the events and FVPs that do not just depend on others.
    """

    components: tuple[int, ...]
    computes: tuple[Vertex, ...]
    paths: dict[Vertex, Path]
    receives: tuple[Routed, ...]
    reasons: tuple[tuple[Vertex, str], ...] = ()
    causes: tuple[OneBucketCause, ...] = ()

    @property
    def is_keyed(self) -> bool:
        return bool(self.paths)

    @property
    def tables(self) -> set[Table]:
        """The tables that later stages may read."""
        return {table_of(vertex) for vertex in self.computes}

    @property
    def fixed(self) -> dict[str, Path | None]:
        """The stage for later plans."""
        return {_written(vertex): self.paths.get(vertex) for vertex in self.computes}


FixedStage: TypeAlias = Mapping[str, Path | None]
"""A stage of an earlier plan: the path of each event and FVP, by its kind and label; None in one bucket."""


@dataclass(frozen=True)
class Stages:
    """The stages in order; each reads only input and results of earlier stages.

    If a rule `ranges_over_sorts`, the stage in one bucket needs all input, because every constant in it counts.
    `everywhere` are the predicates of the background knowledge. `units` are the components that one stage must compute
    together, in processing order.
    """

    stages: tuple[Stage, ...]
    everywhere: tuple[tuple[str, int], ...]
    ranges_over_sorts: bool
    units: tuple[Unit, ...] = ()

    @property
    def one_bucket(self) -> tuple[OneBucketCause, ...]:
        """The events and FVPs that are computed in one bucket because of their own rules."""
        return tuple(cause for stage in self.stages for cause in stage.causes)

    def __str__(self) -> str:
        lines: list[str] = []
        for number, stage in enumerate(self.stages, start=1):
            lines.append(f"stage {number}  " + ("by key" if stage.is_keyed else "in one bucket"))
            lines += [f"  {line}" for line in _shown(stage)]
        if self.everywhere:
            lines += [
                "broadcast",
                *(f"  {show_indicator(name, arity)}  background" for name, arity in self.everywhere),
            ]
        return "\n".join(lines) + "\n" if lines else ""


def _shown(stage: Stage) -> Iterator[str]:
    reasons = dict(stage.reasons)
    yield "computes"
    for vertex in stage.computes:
        path = stage.paths.get(vertex)
        yield f"  {vertex.label}  " + (f"by {_part(path)}" if path is not None else reasons[vertex])
    yield "receives"
    for (kind, name, arity), how in stage.receives:
        yield f"  {show_indicator(name, arity)}  {kind}, {how if stage.is_keyed else 'all rows'}"


def _part(path: Path) -> str:
    """A path as text, counted from 1.

    >>> _part((1, 0))
    'argument 1 of argument 2'
    """
    return "argument " + " of argument ".join(str(i + 1) for i in reversed(path))


@dataclass
class _Draft:
    """A stage under construction."""

    units: list[int] = field(default_factory=list)
    paths: dict[Vertex, Path] = field(default_factory=dict)
    receives: dict[Routed, None] = field(default_factory=dict)

    def with_unit(self, number: int, option: Keying) -> _Draft:
        receives = {**self.receives, **dict.fromkeys(option.receives)}
        return _Draft([*self.units, number], {**self.paths, **option.paths}, receives)


def plan_stages(
    compiled: Compiled,
    program: PhysicalProgram,
    *,
    has_start_up_goals: bool = False,
    fixed: Sequence[FixedStage] = (),
) -> Stages:
    """The stages of a program; start-up goals may change the facts of the background knowledge.

    The first stages are `fixed`: an earlier plan has the same ones. Their events and FVPs depend on no others.
    """
    maps = BackgroundMaps(compiled.description, has_start_up_goals=has_start_up_goals)
    units = units_of(compiled, program, maps)
    placed: set[int] = set()
    stages: list[Stage] = []
    for each in fixed:
        members = [number for number, unit in enumerate(units) if all(_written(v) in each for v in unit.vertices)]
        stages.append(_fixed_stage(units, members, each))
        placed.update(members)
    free = [number for number, unit in enumerate(units) if unit.reason is None]
    while draft := _best_draft(compiled, units, placed, [n for n in free if n not in placed]):
        stages.append(_stage(units, draft))
        placed.update(draft.units)
    rest = [number for number in range(len(units)) if number not in placed]
    if rest:
        stages.append(_one_bucket(units, rest))
    ranges_over_sorts = any(unit.ranges_over_sorts for unit in units)
    return Stages(tuple(stages), tuple(_background(compiled)), ranges_over_sorts, tuple(units))


def _fixed_stage(units: list[Unit], members: list[int], fixed: FixedStage) -> Stage:
    paths = {v: path for n in members for v in units[n].vertices if (path := fixed[_written(v)]) is not None}
    if not paths:
        return _one_bucket(units, members)
    draft = _Draft()
    for number in members:
        own = {vertex: paths[vertex] for vertex in units[number].vertices}
        option = units[number].keyed_by(own, draft.paths, joins=Joins.SEMIJOINED)
        assert option is not None, f"no routes for the keys of unit {number}"
        draft = draft.with_unit(number, option)
    return _stage(units, draft)


def _written(vertex: Vertex) -> str:
    return f"{vertex.kind} {vertex.label}"


def _best_draft(compiled: Compiled, units: list[Unit], placed: set[int], free: list[int]) -> _Draft | None:
    """The possible next stage that computes most units; maps and semijoins are tried only if no stage does without."""
    hints = _hints(compiled)
    for joins in Joins:
        drafts: list[_Draft] = []
        for number in free:
            if units[number].depends_on <= placed:
                for option in units[number].keyings({}, joins=joins):
                    draft = _Draft().with_unit(number, option)
                    drafts.append(_grown(draft, units, placed, free, hints, joins=joins))
        if drafts:
            return max(drafts, key=lambda draft: (len(draft.units), _n_hinted(draft, hints), -len(draft.receives)))
    return None


def _grown(
    draft: _Draft,
    units: list[Unit],
    placed: set[int],
    free: list[int],
    hints: set[Routed],
    *,
    joins: Joins,
) -> _Draft:
    """The draft with all further units that fit its keys."""
    for number in free:
        unit = units[number]
        if number in draft.units or not unit.depends_on <= placed.union(draft.units):
            continue
        grown = [draft.with_unit(number, o) for o in unit.keyings(draft.paths, joins=joins)]
        if grown:
            draft = min(grown, key=lambda each: (len(each.receives), -_n_hinted(each, hints)))
    return draft


def _hints(compiled: Compiled) -> set[Routed]:
    """The `index/2` declarations as routes."""
    found: set[Routed] = set()
    for index in compiled.description.indices:
        is_fvp = name_and_arity(index.entity) == ("=", 2)
        kind: Literal["event", "fluent"] = "fluent" if is_fvp else "event"
        at = position(index.entity, index.argument)
        if at is not None:
            found.add(((kind, *pattern_name(index.entity)), HashRoute(at)))
    return found


def _n_hinted(draft: _Draft, hints: set[Routed]) -> int:
    computed = [(table_of(vertex), HashRoute(path[0])) for vertex, path in draft.paths.items() if len(path) == 1]
    return sum(sent in hints for sent in (*draft.receives, *computed))


def _stage(units: list[Unit], draft: _Draft) -> Stage:
    members = sorted(draft.units)
    computes = tuple(vertex for number in members for vertex in units[number].vertices)
    components = tuple(sorted(c for number in members for c in units[number].components))
    paths = {vertex: draft.paths[vertex] for vertex in computes}
    return Stage(components, computes, paths, tuple(sorted(draft.receives, key=_order)))


def _one_bucket(units: list[Unit], members: list[int]) -> Stage:
    computes = tuple(vertex for number in members for vertex in units[number].vertices)
    here = set(computes)
    needed = {
        (table_of(vertex), Broadcast())
        for number in members
        for rule in units[number].rules
        for vertex in rule.reads
        if vertex not in here
    }
    needed |= {(table, Broadcast()) for number in members for rule in units[number].rules for table in rule.domains}
    reasons = [(v, _reason(units, number, set(members))) for number in members for v in units[number].vertices]
    components = tuple(sorted(c for number in members for c in units[number].components))
    causes = tuple(cause for number in members for cause in _causes(units, number, set(members)))
    return Stage(components, computes, {}, tuple(sorted(needed, key=_order)), tuple(reasons), causes)


def _causes(units: list[Unit], number: int, members: set[int]) -> Iterator[OneBucketCause]:
    """The cause in a unit, unless it is in one bucket because of another unit."""
    unit = units[number]
    if unit.reason == NEEDED or (unit.reason is None and unit.depends_on & members):
        return
    unkeyed = next((rule for rule in unit.rules if not rule.keys()), unit.rules[0] if unit.rules else None)
    span = unit.span or (None if unkeyed is None else unkeyed.join.span)
    yield OneBucketCause(unit.vertices[0].label, _reason(units, number, members), span)


def _reason(units: list[Unit], number: int, members: set[int]) -> str:
    """Why a unit is computed in one bucket."""
    unit = units[number]
    if unit.reason is not None:
        return unit.reason
    before = sorted(unit.depends_on & members)
    if before:
        return f"needs {units[before[0]].vertices[0].label}"
    return next((why for rule in unit.rules if (why := rule.why_no_key())), "its rules have different keys")


def _order(sent: Routed) -> tuple[str, str, int, str]:
    (kind, name, arity), how = sent
    return kind, name, arity, str(how)


def _background(compiled: Compiled) -> list[tuple[str, int]]:
    """The predicates of the background knowledge."""
    items = compiled.description.background
    return sorted({(i.name, i.arity) if isinstance(i, FactTable) else name_and_arity(i.head) for i in items})
