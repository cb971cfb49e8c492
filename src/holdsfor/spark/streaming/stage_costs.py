"""The cost of the stages of a stream in a micro-batch: each bucket reports its seconds and the rows of its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.spark.exchange.shuffle_rows import rows_of

__all__ = ["StageCost", "bucket_cost", "stage_costs"]

_STATE_ROWS, _MICROSECONDS = "state rows", "microseconds"


@dataclass(frozen=True)
class StageCost:
    """The seconds of all buckets of a stage, added up, and the rows of their states.

    The rows are records in the window, results that may still change, and results of earlier stages.
    """

    seconds: float
    state_rows: int


def bucket_cost(stage: int, seconds: float, n_rows: int) -> Iterator[object]:
    """The cost of a bucket, as rows for the driver."""
    for kind, n in ((_STATE_ROWS, n_rows), (_MICROSECONDS, round(seconds * 1e6))):
        yield from rows_of([ShuffleBlock(NO_STAGE, (0,), 1, Facts(kind, str(stage), 0, n))], Texts(Symbols()))


def stage_costs(numbers: Mapping[tuple[str, str, int], int]) -> dict[int, StageCost]:
    """The costs of the stages, from the numbers of rows by kind, name and arity."""
    stages = sorted(int(name) for kind, name, _ in numbers if kind == _STATE_ROWS)
    return {
        stage: StageCost(numbers[_MICROSECONDS, str(stage), 0] / 1e6, numbers[_STATE_ROWS, str(stage), 0])
        for stage in stages
    }
