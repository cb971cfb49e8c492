"""The index of results that goals read: FVPs with intervals and events with time-points, by name and first argument.

The instances of a name are decoded at the first goal that needs them, so a goal about one fluent of a large result
costs that fluent only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from holdsfor.columns.result_table import Extents
from holdsfor.columns.time_type import TimeType
from holdsfor.kernels.keys import Int64
from holdsfor.prolog.clauses import IndexKey, index_key
from holdsfor.prolog.unify import deref
from holdsfor.syntax.terms import Atom, Int, Struct, Term
from holdsfor.syntax.time_points import EARLIEST, LATEST

__all__ = ["Instances", "Key", "ResultIndex", "RunSettings", "fluent_of", "is_time_point", "key_of"]

Key: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run on which answers depend; None is unknown.

    `start` is the first time-point of the run. `query_time` is the last query time, at which open intervals are
    measured. `times` is the type of timestamps; None if times are integers.
    """

    start: int | None = None
    query_time: int | None = None
    tick: int = 1
    times: TimeType | None = None

    def time_point(self, term: Term) -> int | None:
        """The time-point of a term: an integer, or a text in ISO 8601 if the times are timestamps; else None."""
        if isinstance(term, Int):
            return term.value if is_time_point(term.value) else None
        if self.times is None or not isinstance(term, Atom):
            return None
        from holdsfor.sources.times import Clock

        found = Clock(self.times.unit, zone=self.times.zone).read(term.name)
        return found if isinstance(found, int) else None


def fluent_of(term: Term) -> Term:
    """The fluent of an FVP; an event is its own.

    >>> from holdsfor.syntax.parser import parse_term
    >>> fluent_of(parse_term("happy(chris)=true"))
    Struct(happy(chris))
    """
    return term.args[0] if isinstance(term, Struct) and (term.name, len(term.args)) == ("=", 2) else term


@dataclass(frozen=True)
class Instances:
    """The FVPs or events of one name, in standard order; the rows of instance `i` are `bounds[i]` to `bounds[i + 1]`.

    Contract: the rows of an instance are sorted by start and disjoint; an open end is `OPEN`.
    """

    terms: Sequence[Term]
    bounds: Int64
    starts: Int64
    ends: Int64

    @cached_property
    def _by_first_argument(self) -> dict[IndexKey | None, list[int]]:
        found: dict[IndexKey | None, list[int]] = {}
        for number, term in enumerate(self.terms):
            fluent = fluent_of(term)
            key = index_key(fluent.args[0]) if isinstance(fluent, Struct) else None
            found.setdefault(key, []).append(number)
        return found

    @cached_property
    def _numbers(self) -> dict[Term, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def number(self, term: Term) -> int | None:
        """The number of a ground FVP or event, or None."""
        return self._numbers.get(term)

    def candidates(self, named: Term) -> Iterable[int]:
        """The numbers of the instances that may unify with a fluent or an event, in order."""
        first = index_key(deref(named.args[0])) if isinstance(named, Struct) else None
        return range(len(self.terms)) if first is None else self._by_first_argument.get(first, ())

    def holding_at(self, time: int) -> list[int]:
        """The numbers of the FVPs that hold at a time-point."""
        rows = np.flatnonzero((self.starts <= time) & (self.ends > time))
        found: list[int] = (np.searchsorted(self.bounds, rows, side="right") - 1).tolist()
        return found

    def holds_at(self, number: int, time: int) -> bool:
        """Whether an FVP holds at a time-point."""
        first, last = self.bounds[number], self.bounds[number + 1]
        at = int(np.searchsorted(self.starts[first:last], time, side="right")) - 1
        return at >= 0 and bool(self.ends[first + at] > time)

    def happens_at(self, number: int, time: int) -> bool:
        """Whether an event happens at a time-point."""
        first, last = self.bounds[number], self.bounds[number + 1]
        at = int(np.searchsorted(self.starts[first:last], time))
        return first + at < last and bool(self.starts[first + at] == time)

    def rows(self, number: int) -> Iterator[tuple[int, int]]:
        """The starts and ends of an instance."""
        first, last = int(self.bounds[number]), int(self.bounds[number + 1])
        return zip(self.starts[first:last].tolist(), self.ends[first:last].tolist(), strict=True)

    @classmethod
    def of(cls, extents: Extents) -> Instances:
        """The instances of a part of a report."""
        bounds = np.concatenate([[0], np.cumsum(extents.counts)]).astype(np.int64)
        return cls([entity.term for entity in extents.entities], bounds, extents.starts, extents.ends)


@dataclass(frozen=True)
class ResultIndex:
    """The results of a run by name and arity; each value makes the instances when a goal first needs them."""

    fluents: Mapping[Key, Callable[[], Instances]]
    events: Mapping[Key, Callable[[], Instances]]
    settings: RunSettings = RunSettings()
    _made: dict[tuple[str, Key], Instances] = field(default_factory=dict, repr=False)

    def fvps_of(self, key: Key) -> Instances | None:
        """The FVPs of a fluent; None if none holds."""
        return self._instances("fluent", key, self.fluents)

    def events_of(self, key: Key) -> Instances | None:
        """The instances of an output event; None if none happens."""
        return self._instances("event", key, self.events)

    def _instances(self, kind: str, key: Key, found: Mapping[Key, Callable[[], Instances]]) -> Instances | None:
        if key not in found:
            return None
        if (kind, key) not in self._made:
            self._made[kind, key] = found[key]()
        return self._made[kind, key]


def key_of(named: Term) -> Key | None:
    """The name and arity of a fluent or an event; None for a variable."""
    if isinstance(named, Struct):
        return named.name, len(named.args)
    return (named.name, 0) if isinstance(named, Atom) else None


def is_time_point(time: int) -> bool:
    """Whether an integer is in the range of time-points."""
    return EARLIEST <= time <= LATEST
