"""Rows on their way: DataFrames with the functions that their batches still have to go through.

Spark hands batches to Python and takes them back for every `mapInArrow`. Functions that follow each other are therefore
put together first, and cost one such way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Flow", "Step", "spark_schema"]

Step: TypeAlias = Callable[[Iterator[Any]], Iterable[Any]]


@dataclass(frozen=True)
class Flow:
    """The rows of some DataFrames after some steps."""

    parts: tuple[tuple[DataFrame, tuple[Step, ...]], ...]

    @staticmethod
    def of(frame: DataFrame, *steps: Step) -> Flow:
        return Flow(((frame, steps),))

    def then(self, step: Step) -> Flow:
        return Flow(tuple((frame, (*steps, step)) for frame, steps in self.parts))

    def __or__(self, other: Flow) -> Flow:
        """The rows of both."""
        return Flow((*self.parts, *other.parts))

    def frame(self, schema: Any) -> DataFrame:
        """The rows as one DataFrame, which has the columns of an Arrow schema."""
        frames = [_through(frame, steps, schema) for frame, steps in self.parts]
        return reduce(lambda one, other: one.unionByName(other), frames)


def _through(frame: DataFrame, steps: tuple[Step, ...], schema: Any) -> DataFrame:
    if not steps:
        return frame.select(*schema.names)

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for step in steps:
            batches = iter(step(batches))
        return batches

    return frame.mapInArrow(run, spark_schema(schema))


def spark_schema(schema: Any) -> Any:
    """The columns of an Arrow schema as Spark has them."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
