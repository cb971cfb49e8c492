"""Membership of events, fluents and FVPs in their groundings during time stepping: checked in bulk, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdsfor.columns.tables import Key
from holdsfor.columns.tuple_ids import Words
from holdsfor.kernels.keys import Int64

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Cell", "GroundingChecks"]

Cell: TypeAlias = tuple[int, int]
"""The number of a fluent's arguments, and a value."""


class GroundingChecks:
    """Membership in groundings, computed on demand.

    A fluent is in its grounding if one of its values is. `without` are FVPs of such fluents outside the grounding: they
    are initiated and break others, but do not hold.
    """

    def __init__(self, part: Evaluation) -> None:
        self.part = part
        self.without: dict[Key, set[Cell]] = {}
        self._fluents: dict[Key, dict[Cell, bool]] = {}
        self._events: dict[Key, dict[Words, bool]] = {}

    def of_fluent(self, key: Key) -> set[Cell]:
        """The FVPs of a fluent that are not in the grounding; extended by every check."""
        return self.without.setdefault(key, set())

    def inside(self, key: Key, numbers: Int64, values: Int64) -> Int64 | None:
        """The rows whose fluents are in the grounding, or None if all are."""
        inside = self.part.domains.inside((True, *key), numbers, None, self.part, self.part.version)
        if inside is None:
            self.check(key, numbers, values)
        else:
            self.check(key, numbers[inside], values[inside])
        return inside

    def check(self, key: Key, numbers: Int64, values: Int64) -> None:
        """Check which FVPs of fluents in the grounding are in it."""
        inside = self.part.domains.inside((True, *key), numbers, values, self.part, self.part.version)
        if inside is not None:
            outside = np.delete(np.arange(len(numbers)), inside)
            self.of_fluent(key).update(zip(numbers[outside].tolist(), values[outside].tolist(), strict=True))

    def admitted(self, key: Key, fvps: Sequence[Cell]) -> list[Cell]:
        """The FVPs whose fluents are in the grounding."""
        if not self.part.domains.is_restricted((True, *key)):
            return list(fvps)
        known = self._fluents.setdefault(key, {})
        fresh = [fvp for fvp in fvps if fvp not in known]
        if fresh:
            numbers, values = (np.array(column, dtype=np.int64) for column in zip(*fresh, strict=True))
            inside = self.inside(key, numbers, values)
            known.update(dict.fromkeys(fresh, inside is None))
            known.update(dict.fromkeys((fresh[i] for i in (() if inside is None else inside.tolist())), True))
        return [fvp for fvp in fvps if known[fvp]]

    def admitted_events(self, key: Key, events: Sequence[Words]) -> list[Words]:
        """The events that are in the grounding."""
        if not self.part.domains.is_restricted((False, *key)):
            return list(events)
        known = self._events.setdefault(key, {})
        fresh = list(dict.fromkeys(words for words in events if words not in known))
        if fresh:
            columns = [np.array(column, dtype=np.int64) for column in zip(*fresh, strict=True)]
            inside = self.part.domains.includes((False, *key), columns, len(fresh), self.part)
            known.update(zip(fresh, inside.tolist(), strict=True))
        return [words for words in events if known[words]]
