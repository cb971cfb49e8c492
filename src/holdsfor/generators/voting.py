"""Voting: assemblies of a thousand agents, with ten motions in every period.

One period is one procedure of ten time-points. As in the data that RTEC ships, motions are proposed at its first two
time-points, ballots are closed too early at the third, motions are seconded at the fourth, voted upon at the fifth and
seventh, ballots are closed at the eighth, and outcomes are declared at the last two: ten records per agent, nine of
them votes. The agents are random, so many acts are too late to count, and one of two chairs may declare a wrong
outcome.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Codes, RecordMaker, Times, Vocabulary

__all__ = ["Voting"]

_CHOICES = ["aye", "nay", "carried", "not_carried"]
_ASSEMBLY, _MOTIONS = 1000, 10
_AGENTS_PER_CHAIR = 10


class _Act(NamedTuple):
    """An act of agents at one time-point of a procedure."""

    name: str
    at: int
    by_chairs: bool
    per_agent: float
    choices: tuple[str, ...] = ()


_PROCEDURE = [
    _Act("propose", 0, True, 0.117),
    _Act("propose", 1, False, 0.182),
    _Act("close_ballot", 2, True, 0.009),
    _Act("second", 3, False, 0.162),
    _Act("vote", 4, False, 4.273, ("aye", "nay")),
    _Act("vote", 6, False, 5.001, ("aye", "nay")),
    _Act("close_ballot", 7, True, 0.04),
    _Act("declare", 8, True, 0.15, ("carried", "not_carried")),
    _Act("declare", 9, True, 0.13, ("carried", "not_carried")),
]


class Voting:
    """The agents `0` to `entities - 1`, every tenth of them a chair; a thousand agents share ten motions."""

    tick = 1
    period = 10
    rows_per_unit = 10 * _ASSEMBLY

    def __init__(self, entities: int, seed: int) -> None:
        self.n_agents = entities
        self.n_units = -(-entities // _ASSEMBLY)
        self.vocabulary = Vocabulary(
            names=sorted({act.name for act in _PROCEDURE}),
            values=[],
            args=(
                [str(agent) for agent in range(entities)],
                [str(motion + 1) for motion in range(self.n_units * _MOTIONS)],
                _CHOICES,
            ),
        )

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        first, last = units[0] * _ASSEMBLY, min((units[-1] + 1) * _ASSEMBLY, self.n_agents)
        maker = RecordMaker(self.vocabulary)
        for act in _PROCEDURE:
            n = max(len(units), round(act.per_agent * (last - first)))
            agent = rng.integers(first, last, n)
            if act.by_chairs:
                agent -= agent % _AGENTS_PER_CHAIR
            assembly = agent // _ASSEMBLY
            motion = assembly * _MOTIONS + rng.integers(0, _MOTIONS, n)
            args = [agent.astype(np.int32), motion.astype(np.int32)]
            if act.choices:
                args.append(_any_of(rng, n, act.choices))
            maker.add(act.name, begin[assembly - units[0]] + act.at, *args)
        return maker.rows()


def _any_of(rng: np.random.Generator, n: int, choices: tuple[str, ...]) -> Codes:
    codes = np.array([_CHOICES.index(choice) for choice in choices], np.int32)
    return codes[rng.integers(0, len(codes), n)]
