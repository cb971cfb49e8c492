"""Feedback: hosts with an immune system and bacteria with a phage, half of each.

One period takes a hundred time-points. A host meets antigen once or twice; one in five stays infected until it is
cured. A phage enters a cell, which may starve, be fed or irradiated, and leaves when the cell divides. There are few
input events, and many times as many derived ones, over many rounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, RecordMaker, Times, Vocabulary

__all__ = ["Feedback"]

_HOST_EVENTS = ["inject", "infect", "cure"]
_CELL_EVENTS = ["enter", "starve", "feed", "irradiate", "divide"]


class Feedback:
    """`host0`, `cell1`, `host2`, … in turn."""

    tick = 1
    period = 100
    rows_per_unit = 3

    def __init__(self, entities: int, seed: int) -> None:
        self.n_units = entities
        names = [f"{'cell' if i % 2 else 'host'}{i}" for i in range(entities)]
        self.vocabulary = Vocabulary(names=[*_HOST_EVENTS, *_CELL_EVENTS], values=[], args=(names,))

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        is_cell = units % 2 == 1
        maker = RecordMaker(self.vocabulary)
        script = [
            ("inject", 0, 10, 1.0),
            ("inject", 40, 50, 0.5),
            ("infect", 0, 30, 0.2),
            ("cure", 70, 20, 0.2),
            ("starve", 0, 5, 0.5),
            ("enter", 5, 10, 1.0),
            ("irradiate", 40, 30, 0.3),
            ("feed", 75, 10, 0.5),
            ("divide", 90, 9, 0.8),
        ]
        for name, earliest, spread, share in script:
            where = (is_cell == (name in _CELL_EVENTS)) & (rng.random(len(units)) < share)
            at = begin + earliest + rng.integers(0, spread, len(units))
            maker.add(name, at, units.astype(np.int32), where=where)
        return maker.rows()
