"""What a query time changes, as people read it: intervals and time-points added, extended, shortened, retracted.

An interval that is gone and one that has come are one *revised* interval if they are of the same FVP and begin
together, or else end together: `extended` if the new one is longer, `shortened` if it is not. Of the others those that
have come are `added` and those that are gone `retracted`. Time-points of output events are added or retracted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from holdsfor.sinks.lines import csv_row
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["CHANGE_FORMATS", "Change", "Changed", "Interval", "event_changes", "interval_changes"]

Interval: TypeAlias = tuple[int, int | None]
"""Start and end; an open end is None."""


class Change(NamedTuple):
    """One change of an FVP (intervals) or of an output event (time-points)."""

    kind: Literal["added", "extended", "shortened", "retracted"]
    name: str
    old: Interval | int | None
    new: Interval | int | None

    def __str__(self) -> str:
        spans = " → ".join(_written(span) for span in (self.old, self.new) if span is not None)
        return f"{self.kind} {self.name} {spans}"


@dataclass(frozen=True)
class Changed:
    """What is different at a query time."""

    query_time: int
    changes: list[Change]


def interval_changes(gone: Mapping[Term, list[Interval]], come: Mapping[Term, list[Interval]]) -> list[Change]:
    """The changes of FVPs, FVP by FVP in the order of those that have come, then of those that are only gone.

    >>> from holdsfor.syntax.parser import parse_term
    >>> rich = parse_term("rich(chris)=true")
    >>> print(*interval_changes({rich: [(14, None)]}, {rich: [(14, 20), (30, None)]}), sep="; ")
    shortened rich(chris)=true (14,inf) → (14,20); added rich(chris)=true (30,inf)
    """
    return [change for fvp in {**come, **gone} for change in _revised(show(fvp), gone.get(fvp, []), come.get(fvp, []))]


def event_changes(gone: Mapping[Term, list[int]], come: Mapping[Term, list[int]]) -> list[Change]:
    """The changes of output events, event by event in the same order."""
    changes: list[Change] = []
    for event in {**come, **gone}:
        changes += [Change("retracted", show(event), time, None) for time in gone.get(event, [])]
        changes += [Change("added", show(event), None, time) for time in come.get(event, [])]
    return changes


def _revised(name: str, gone: list[Interval], come: list[Interval]) -> Iterator[Change]:
    old_of = _partners(gone, come)
    revised = set(old_of.values())
    yield from (Change("retracted", name, old, None) for old in gone if old not in revised)
    for new in come:
        old = old_of.get(new)
        if old is None:
            yield Change("added", name, None, new)
        else:
            yield Change("extended" if _is_longer(new, old) else "shortened", name, old, new)


def _partners(gone: list[Interval], come: list[Interval]) -> dict[Interval, Interval]:
    """For intervals that have come the one each revises: of the same start, else of the same end."""
    by_start = {old[0]: old for old in gone}
    found = {new: by_start[new[0]] for new in come if new[0] in by_start}
    revised = set(found.values())
    by_end = {old[1]: old for old in gone if old not in revised}
    found |= {new: by_end[new[1]] for new in come if new not in found and new[1] in by_end}
    return found


def _is_longer(new: Interval, old: Interval) -> bool:
    """Whether the new one of two intervals with one end in common is the longer one."""
    if new[0] != old[0]:
        return new[0] < old[0]
    return new[1] is None or (old[1] is not None and new[1] > old[1])


# -- lines -------------------------------------------------------------------------------------------------------------


def _written(span: Interval | int) -> str:
    if isinstance(span, int):
        return str(span)
    return f"({span[0]},{'inf' if span[1] is None else span[1]})"


def _text_lines(reports: Iterable[Changed]) -> Iterator[str]:
    """`added(F=V, (S,E)).`, `shortened(F=V, (S,E), (S,F)).` and so on, one a line; events with their time-point."""
    for changed in reports:
        yield f"% query time {changed.query_time}"
        for change in changed.changes:
            spans = [_written(span) for span in (change.old, change.new) if span is not None]
            yield f"{change.kind}({', '.join([change.name, *spans])})."


def _jsonl_lines(reports: Iterable[Changed]) -> Iterator[str]:
    """One object per change; what is not there before or after is left out, an open end is `null`."""
    for changed in reports:
        for change in changed.changes:
            name = "event" if isinstance(change.old, int) or isinstance(change.new, int) else "fvp"
            spans = {key: span for key, span in (("old", change.old), ("new", change.new)) if span is not None}
            row = {"query_time": changed.query_time, "change": change.kind, name: change.name, **spans}
            yield json.dumps(row, ensure_ascii=False)


def _csv_lines(reports: Iterable[Changed]) -> Iterator[str]:
    """One row per change; an open end is empty, and so are start and end of what is not there."""
    yield csv_row("query_time", "change", "kind", "name", "old_start", "old_end", "start", "end")
    for changed in reports:
        for change in changed.changes:
            kind = "event" if isinstance(change.old, int) or isinstance(change.new, int) else "fvp"
            yield csv_row(
                changed.query_time, change.kind, kind, change.name, *_fields(change.old), *_fields(change.new)
            )


def _fields(span: Interval | int | None) -> tuple[object, object]:
    if span is None:
        return "", ""
    if isinstance(span, int):
        return span, span
    return span[0], "" if span[1] is None else span[1]


CHANGE_FORMATS = {"text": _text_lines, "jsonl": _jsonl_lines, "csv": _csv_lines}
