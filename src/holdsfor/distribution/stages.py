"""Stages: which rules can be evaluated entity by entity, by what they are told apart, and what has to be sent where.

A stage computes components of the program. In a stage that goes *by a key*, each event and FVP that it computes has a
path (`holdsfor.distribution.joins`), and the bucket that owns what stands there computes it. That is exact if every
question of every rule can be answered where the head is computed:

- what the stage itself computes is asked for with the same key;
- input, and what earlier stages computed, is sent *by the argument* that is the key, or *along a guard* of the rule to
  every key for which the guard makes it matter, or, without arguments, everywhere;
- members of dynamic domains go by the key, if the grounding says which argument that is, else everywhere.

A bucket may be sent more than it owns, and then computes more, from less than is needed; but all it is sent is true, so
what it owns is right, and only that is kept. Background knowledge is everywhere.

What has no key is computed in one place, with everything that depends on it: never a wrong answer, only not a parallel
one. `index/2` declarations decide between keys that are equally good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.patterns import pattern_name
from holdsfor.analysis.pipeline import Compiled
from holdsfor.distribution.joins import Path, position
from holdsfor.distribution.keys import (
    Broadcast,
    Distribution,
    HashRoute,
    Keying,
    Routed,
    Rule,
    SemijoinRoute,
    Table,
    Unit,
    table_of,
)
from holdsfor.distribution.units import units_of
from holdsfor.physical.plan import PhysicalProgram
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.program import FactTable
from holdsfor.syntax.terms import name_and_arity

__all__ = ["Broadcast", "Distribution", "HashRoute", "SemijoinRoute", "Stage", "Stages", "Table", "plan_stages"]


@dataclass(frozen=True)
class Stage:
    """Components (by number in the program) that are computed together.

    `paths` say by what each event or FVP goes; a stage in one place has none, and `reasons` why.
    """

    components: tuple[int, ...]
    computes: tuple[Vertex, ...]
    paths: dict[Vertex, Path]
    receives: tuple[Routed, ...]
    reasons: tuple[tuple[Vertex, str], ...] = ()

    @property
    def is_keyed(self) -> bool:
        return bool(self.paths)

    @property
    def tables(self) -> set[Table]:
        """What later stages may ask for."""
        return {table_of(vertex) for vertex in self.computes}


@dataclass(frozen=True)
class Stages:
    """The stages in order; each asks only for input and for what stages before it compute.

    If something `ranges_over_sorts`, the stage in one place needs all input, since what is mentioned there matters.
    """

    stages: tuple[Stage, ...]
    everywhere: tuple[tuple[str, int], ...]
    ranges_over_sorts: bool

    def __str__(self) -> str:
        lines: list[str] = []
        for number, stage in enumerate(self.stages, start=1):
            lines.append(f"stage {number}  " + ("by key" if stage.is_keyed else "in one place"))
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
        yield f"  {show_indicator(name, arity)}  {kind}, {how if stage.is_keyed else 'all of it'}"


def _part(path: Path) -> str:
    """An argument as people count: the first, or the first within the second."""
    return "argument " + " of argument ".join(str(i + 1) for i in reversed(path))


@dataclass
class _Draft:
    """A stage while it grows."""

    units: list[int] = field(default_factory=list)
    paths: dict[Vertex, Path] = field(default_factory=dict)
    receives: dict[Routed, None] = field(default_factory=dict)

    def with_unit(self, number: int, option: Keying) -> _Draft:
        receives = {**self.receives, **dict.fromkeys(option.receives)}
        return _Draft([*self.units, number], {**self.paths, **option.paths}, receives)


def plan_stages(compiled: Compiled, program: PhysicalProgram) -> Stages:
    """The stages of a program."""
    units = units_of(compiled, program)
    placed: set[int] = set()
    stages: list[Stage] = []
    free = [number for number, unit in enumerate(units) if unit.reason is None]
    while draft := _best_draft(compiled, units, placed, [n for n in free if n not in placed]):
        stages.append(_stage(units, draft))
        placed.update(draft.units)
    rest = [number for number in range(len(units)) if number not in placed]
    if rest:
        stages.append(_one_place(units, rest))
    return Stages(tuple(stages), tuple(_background(compiled)), any(unit.ranges_over_sorts for unit in units))


def _best_draft(compiled: Compiled, units: list[Unit], placed: set[int], free: list[int]) -> _Draft | None:
    """The stage that computes most, of those that may be next; rules with guards wait until the others are placed."""
    hints = _hints(compiled)
    for along_guards in (False, True):
        drafts: list[_Draft] = []
        for number in free:
            if units[number].depends_on <= placed:
                for option in units[number].keyings({}, along_guards=along_guards):
                    draft = _Draft().with_unit(number, option)
                    drafts.append(_grown(draft, units, placed, free, hints, along_guards=along_guards))
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
    along_guards: bool,
) -> _Draft:
    """The draft with all units that fit its keys."""
    for number in free:
        unit = units[number]
        if number in draft.units or not unit.depends_on <= placed.union(draft.units):
            continue
        grown = [draft.with_unit(number, o) for o in unit.keyings(draft.paths, along_guards=along_guards)]
        if grown:
            draft = min(grown, key=lambda each: (len(each.receives), -_n_hinted(each, hints)))
    return draft


def _hints(compiled: Compiled) -> set[Routed]:
    """What `index/2` declarations say, as ways to send."""
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


def _one_place(units: list[Unit], members: list[int]) -> Stage:
    computes = tuple(vertex for number in members for vertex in units[number].vertices)
    here = set(computes)
    asked = {
        (table_of(vertex), Broadcast())
        for number in members
        for rule in units[number].rules
        for vertex in rule.asks
        if vertex not in here
    }
    asked |= {(table, Broadcast()) for number in members for rule in units[number].rules for table in rule.domains}
    reasons = [(v, _reason(units, number, set(members))) for number in members for v in units[number].vertices]
    components = tuple(sorted(c for number in members for c in units[number].components))
    return Stage(components, computes, {}, tuple(sorted(asked, key=_order)), tuple(reasons))


def _reason(units: list[Unit], number: int, members: set[int]) -> str:
    """Why a unit is computed in one place."""
    unit = units[number]
    if unit.reason is not None:
        return unit.reason
    before = sorted(unit.depends_on & members)
    if before:
        return f"needs {units[before[0]].vertices[0].label}"
    return next((why for rule in unit.rules if (why := _without_key(rule))), "its rules go by different arguments")


def _without_key(rule: Rule) -> str | None:
    if rule.keys():
        return None
    return f"no argument is in all conditions of {rule.join.what}"


def _order(sent: Routed) -> tuple[str, str, int, str]:
    (kind, name, arity), how = sent
    return kind, name, arity, str(how)


def _background(compiled: Compiled) -> list[tuple[str, int]]:
    """The predicates of the background knowledge."""
    items = compiled.description.background
    return sorted({(i.name, i.arity) if isinstance(i, FactTable) else name_and_arity(i.head) for i in items})
