"""Places for results: all of a run is in its place, or what was there before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.spark.cluster.progress import wait_for_tasks
from holdsfor.spark.output.result_tables import ResultTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["OutputTarget", "Replaceable", "refuse_existing", "replacing"]


class Replaceable(Protocol):
    """What is written beside its place, then moved, or discarded."""

    shown: str
    """The place as it may be told, without passwords."""

    spark: SparkSession

    def check(self) -> None:
        """Refuse a place that has something which is not to be replaced."""

    def move(self) -> None: ...

    def discard(self) -> None: ...


class OutputTarget(Replaceable, Protocol):
    """Where results go."""

    def write(self, result: ResultTable) -> None: ...


Replaced = TypeVar("Replaced", bound=Replaceable)


@contextmanager
def replacing(place: Replaced) -> Iterator[Replaced]:
    """A place to write to: at the end of the block all that it writes is there, or nothing if it fails."""
    place.check()
    try:
        yield place
        place.move()
    except BaseException:
        with suppress(Exception):  # what went wrong first is what has to be told
            wait_for_tasks(place.spark)
            place.discard()
        raise


def refuse_existing(path: str) -> None:
    """Tell that there is something in the place already."""
    raise UsageProblem(Diagnostic("HF771", f"`{path}` exists already", hint="`--overwrite` replaces it"))
