"""The results of a component in a time range: events, initiations, terminations, FVPs, and effects that they set up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.keys import mixed, rows_with_a_partner
from holdsfor.runtime.delays import DelayedEffects

__all__ = ["Iteration"]


@dataclass(frozen=True)
class Iteration:
    """One result of a component; `n_visited` is the number of time-points that time stepping visited.

    `breaks` are the terminations that conditions see. If effects may postpone each other when they are due, `firm` are
    the initiations that are never postponed.
    """

    events: dict[Key, PointTable]
    initiations: dict[Key, PointTable]
    terminations: dict[Key, PointTable]
    fluents: dict[Key, FluentTable]
    delayed_effects: tuple[DelayedEffects | None, ...]
    breaks: dict[Key, PointTable]
    firm: dict[Key, PointTable] = field(default_factory=dict)
    n_visited: int = 0

    @property
    def points(self) -> Iterator[tuple[tuple[str, Key], PointTable]]:
        named = (("e", self.events), ("i", self.initiations), ("t", self.terminations), ("f", self.firm))
        for kind, tables in named:
            yield from (((kind, key), table) for key, table in tables.items())

    def first_difference(self, other: Iteration) -> int | None:
        """The first time-point at which two iterations differ."""
        theirs = dict(other.points)
        found = [_first_difference(table, theirs[place]) for place, table in self.points]
        return min((time for time in found if time is not None), default=None)


def _first_difference(one: PointTable, other: PointTable) -> int | None:
    if one.n == other.n and _are_the_same(one, other):
        return None
    alone = [a.times[~rows_with_a_partner(a.columns, a.n, b.columns, b.n)] for a, b in ((one, other), (other, one))]
    times = np.concatenate(alone)
    return int(times.min()) if len(times) else None


def _are_the_same(one: PointTable, other: PointTable) -> bool:
    """Whether two tables of one size have the same rows, by one sort of each."""
    orders = [np.argsort(mixed(table.columns, table.n)) for table in (one, other)]
    return all(np.array_equal(a[orders[0]], b[orders[1]]) for a, b in zip(one.columns, other.columns, strict=True))
