"""A stream of any length, piece by piece, in order of arrival.

Time is divided into the *periods* of a model: every entity has one period after another, with random events in each.
Entities begin their periods one after the other, so that the load is even. A *cell* is one period of a group of
entities that begin together; it has its own random generator, seeded by its position. Cells are generated in the order
of their begin, and no event of a cell happens before its begin. So when a cell has been generated, all records that
arrive before the begin of the next cell are complete, and are returned. The buffer holds at most one period of every
entity and the late records.

The cells depend on the number of entities alone, never on the size of the pieces: any size yields the same stream. The
same seed with and without lateness yields the same records, arriving in another order. Corrections add wrong records
and their retractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Vocabulary, concatenate_records, no_records
from holdsfor.generators.corrections import NO_CORRECTIONS, Corrections
from holdsfor.generators.lateness import ON_TIME, Lateness

__all__ = ["Model", "pieces"]

_CELL_ROWS = 400_000
_PIECE_ROWS = 200_000


class Model(Protocol):
    """The behaviour of the entities of an application."""

    vocabulary: Vocabulary
    tick: int
    period: int
    n_units: int  # begin their periods independently: entities, or pairs of them
    rows_per_unit: int  # approximately, in one period

    def cell(self, cycle: int, units: NDArray[np.int64], begin: NDArray[np.int64], seed: list[int]) -> CodedRecords:
        """The records of the units in the period that begins at `begin` for each unit; none is earlier."""

    def background(self) -> str | None:
        """The background knowledge of the stream, as Prolog, if the application needs any."""


def pieces(
    model: Model,
    duration: int,
    seed: int,
    lateness: Lateness = ON_TIME,
    max_rows: int = _PIECE_ROWS,
    corrections: Corrections = NO_CORRECTIONS,
) -> Iterator[CodedRecords]:
    """The records from time-point 0 up to the duration, sorted by arrival, in pieces of at most `max_rows`."""
    held = no_records(len(model.vocabulary.args))
    waiting: list[CodedRecords] = []
    for made, horizon in _cells(model, duration, seed, lateness, corrections):
        held = concatenate_records([held, made])
        is_due = held.arrival < horizon
        due = held.pick(is_due)
        held = held.pick(~is_due)
        waiting.append(due.pick(np.argsort(due.arrival, kind="stable")))
        if sum(map(len, waiting)) >= max_rows:
            *full, rest = _slices(concatenate_records(waiting), max_rows)
            yield from full
            waiting = [rest]
    if waiting:
        yield from (piece for piece in _slices(concatenate_records(waiting), max_rows) if len(piece))


def _slices(rows: CodedRecords, max_rows: int) -> Iterator[CodedRecords]:
    """The rows in slices of the given size; the last is smaller, perhaps empty."""
    for first in range(0, len(rows) + 1, max_rows):
        yield rows.pick(slice(first, first + max_rows))


def _cells(
    model: Model, duration: int, seed: int, lateness: Lateness, corrections: Corrections
) -> Iterator[tuple[CodedRecords, float]]:
    """The cells in the order of their begin, each with the begin of the next."""
    n_groups = max(1, min(model.n_units, model.n_units * model.rows_per_unit // _CELL_ROWS))
    bounds = [group * model.n_units // n_groups for group in range(n_groups + 1)]
    places = chain(_places(model, duration, bounds), [None])
    n_revisions = 0
    for here, following in pairwise(places):
        assert here is not None
        cycle, group, begin = here
        units = np.arange(bounds[group], bounds[group + 1])
        place = [seed, cycle + 1, group]
        made = model.cell(cycle, units, _begin(model, cycle, units), place)
        made = made.pick((made.start >= 0) & (made.start < duration) & (made.end < duration))
        delays = lateness.delays(np.random.default_rng([*place, _LATENESS]), len(made), model.tick)
        late = replace(made, arrival=made.arrival + delays)
        limits = min(begin + model.period, duration), duration
        found = corrections.applied(late, model.tick, limits, n_revisions, [*place, _CORRECTIONS])
        n_revisions = max(n_revisions, int(found.revision.max(initial=-1)) + 1)
        yield found, following[2] if following else np.inf


def _places(model: Model, duration: int, bounds: list[int]) -> Iterator[tuple[int, int, int]]:
    """Cycle, group and begin of the cells that begin before the end, in order."""
    for cycle in range(-1, -(-duration // model.period)):
        for group, first in enumerate(bounds[:-1]):
            begin = int(_begin(model, cycle, np.array([first]))[0])
            if begin < duration:
                yield cycle, group, begin


_LATENESS, _CORRECTIONS = 99, 98  # the last part of a seed is the purpose of the drawing; models use small numbers


def _begin(model: Model, cycle: int, units: NDArray[np.int64]) -> NDArray[np.int64]:
    """The begin of a period for each unit."""
    n_points = model.period // model.tick
    begin: NDArray[np.int64] = (cycle * n_points + units * n_points // model.n_units) * model.tick
    return begin
