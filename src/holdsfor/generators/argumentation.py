"""Argumentation: games of three rounds, one after the other at each table.

One period is one game of at most sixty time-points, and a break. A player makes a move at the beginning of his turn and
then passes, or his time of ten time-points runs out. Claims are denied, justified too late or not at all, retracted and
conceded; a few moves are out of turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, RecordMaker, Times, Vocabulary

__all__ = ["Argumentation"]

_PLAYERS = ["proponent", "opponent"]
_STATEMENTS = ["thesis", "example", "objection"]
_REASONS = ["data", "authority", "analogy"]
_TURNS, _TIME_OF_TURN = 6, 10


class _Move(NamedTuple):
    """A move that the player of a turn may make."""

    turn: int
    name: str
    statement: str
    share: float


_GAME = [
    _Move(0, "claim", "thesis", 0.98),
    _Move(1, "deny", "thesis", 0.7),
    _Move(1, "claim", "objection", 0.5),
    _Move(2, "justify", "thesis", 0.6),
    _Move(2, "deny", "objection", 0.5),
    _Move(2, "claim", "example", 0.5),
    _Move(3, "justify", "objection", 0.3),
    _Move(3, "retract", "objection", 0.2),
    _Move(3, "deny", "example", 0.4),
    _Move(4, "retract", "example", 0.3),
    _Move(4, "justify", "example", 0.4),
    _Move(5, "concede", "thesis", 0.2),
]


class Argumentation:
    """The tables `game0` to `game<entities - 1>`."""

    tick = 1
    period = 80
    rows_per_unit = 11

    def __init__(self, entities: int, seed: int) -> None:
        self.n_units = entities
        self.vocabulary = Vocabulary(
            names=["begin", "pass", *sorted({move.name for move in _GAME})],
            values=[],
            args=([f"game{i}" for i in range(entities)], [*_PLAYERS, *_STATEMENTS], _STATEMENTS, _REASONS),
        )

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        n, game = len(units), units.astype(np.int32)
        passes = rng.random((n, _TURNS)) < 0.6
        length = np.where(passes, rng.integers(4, _TIME_OF_TURN, (n, _TURNS)), _TIME_OF_TURN)
        end = begin[:, None] + np.cumsum(length, axis=1)
        maker = RecordMaker(self.vocabulary)
        maker.add("begin", begin, game, len(_PLAYERS))
        for turn in range(_TURNS):
            maker.add("pass", end[:, turn], game, turn % 2, where=passes[:, turn])
        for move in _GAME:
            at = end[:, move.turn] - length[:, move.turn] + rng.integers(1, 4, n)
            out_of_turn = rng.random(n) < 0.02
            player = (move.turn + out_of_turn) % 2
            args = [player.astype(np.int32), np.full(n, _STATEMENTS.index(move.statement), np.int32)]
            if move.name == "justify":
                args.append(rng.integers(0, len(_REASONS), n, np.int32))
            maker.add(move.name, at, game, *args, where=rng.random(n) < move.share)
        return maker.rows()
