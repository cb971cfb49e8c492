"""The changes of a query time: intervals and time-points added, extended, shortened, retracted.

A removed and a new interval are one *revised* interval if they belong to the same FVP and have the same start, or else
the same end: `extended` if the new interval is longer, `shortened` otherwise. The other new intervals are `added`, and
the other removed ones `retracted`. Time-points of output events are added or retracted.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["Change", "Interval", "event_changes", "interval_changes"]

Interval: TypeAlias = tuple[int, int | None]
"""Start and end; an open end is None."""


class Change(NamedTuple):
    """One change of an FVP (intervals) or of an output event (time-points).

    >>> print(Change("shortened", "rich(chris)=true", (14, None), (14, 20)))
    shortened rich(chris)=true (14,inf) → (14,20)
    """

    kind: Literal["added", "extended", "shortened", "retracted"]
    name: str
    old: Interval | int | None
    new: Interval | int | None

    @property
    def is_of_event(self) -> bool:
        """Whether the change is about an output event.

        >>> Change("added", "alarm(b1)", None, 3).is_of_event
        True
        """
        return not isinstance(self.old if self.new is None else self.new, tuple)

    def __str__(self) -> str:
        spans = " → ".join(_show_span(span) for span in (self.old, self.new) if span is not None)
        return f"{self.kind} {self.name} {spans}"


def interval_changes(removed: Mapping[Term, list[Interval]], added: Mapping[Term, list[Interval]]) -> list[Change]:
    """The changes by FVP: first the FVPs with added intervals, in their order, then those with removed intervals only.

    >>> from holdsfor.syntax.parser import parse_term
    >>> rich = parse_term("rich(chris)=true")
    >>> print(*interval_changes({rich: [(14, None)]}, {rich: [(14, 20), (30, None)]}), sep="; ")
    shortened rich(chris)=true (14,inf) → (14,20); added rich(chris)=true (30,inf)
    """
    return [
        change
        for fvp in {**added, **removed}
        for change in _revised(show(fvp), removed.get(fvp, []), added.get(fvp, []))
    ]


def event_changes(removed: Mapping[Term, list[int]], added: Mapping[Term, list[int]]) -> list[Change]:
    """The changes by output event, in the order of `interval_changes`."""
    changes: list[Change] = []
    for event in {**added, **removed}:
        changes += [Change("retracted", show(event), time, None) for time in removed.get(event, [])]
        changes += [Change("added", show(event), None, time) for time in added.get(event, [])]
    return changes


def _revised(name: str, removed: list[Interval], added: list[Interval]) -> Iterator[Change]:
    old_of = _partners(removed, added)
    revised = set(old_of.values())
    yield from (Change("retracted", name, old, None) for old in removed if old not in revised)
    for new in added:
        old = old_of.get(new)
        if old is None:
            yield Change("added", name, None, new)
        else:
            yield Change("extended" if _is_longer(new, old) else "shortened", name, old, new)


def _partners(removed: list[Interval], added: list[Interval]) -> dict[Interval, Interval]:
    """For new intervals the removed interval that each revises: one with the same start, else with the same end."""
    by_start = {old[0]: old for old in removed}
    found = {new: by_start[new[0]] for new in added if new[0] in by_start}
    revised = set(found.values())
    by_end = {old[1]: old for old in removed if old not in revised}
    found |= {new: by_end[new[1]] for new in added if new not in found and new[1] in by_end}
    return found


def _is_longer(new: Interval, old: Interval) -> bool:
    """Whether the new one of two intervals with a common start or end is longer."""
    if new[0] != old[0]:
        return new[0] < old[0]
    return new[1] is None or (old[1] is not None and new[1] > old[1])


def _show_span(span: Interval | int) -> str:
    if not isinstance(span, tuple):
        return _show_time(span)
    return f"({_show_time(span[0])},{'inf' if span[1] is None else _show_time(span[1])})"


def _show_time(time: int | datetime.datetime) -> str:
    return time.isoformat() if isinstance(time, datetime.datetime) else str(time)
