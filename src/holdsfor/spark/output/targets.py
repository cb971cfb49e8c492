"""Output targets: a target has all results of a run, or its previous content."""

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
    """A target that is written under a temporary name, then moved to its place or discarded."""

    shown: str
    """The name of the target for messages, without passwords."""

    spark: SparkSession

    def check(self) -> None:
        """Refuse a target whose content must not be replaced."""

    def move(self) -> None: ...

    def discard(self) -> None: ...


class OutputTarget(Replaceable, Protocol):
    """A target for the tables of a run."""

    def write(self, result: ResultTable) -> None: ...


Replaced = TypeVar("Replaced", bound=Replaceable)


@contextmanager
def replacing(place: Replaced) -> Iterator[Replaced]:
    """A context that moves the target to its place at the end, or discards it if the block fails."""
    place.check()
    try:
        yield place
        place.move()
    except BaseException:
        with suppress(Exception):  # the first exception is the one to report
            wait_for_tasks(place.spark)
            place.discard()
        raise


def refuse_existing(path: str) -> None:
    """Refuse to replace an existing target."""
    raise UsageProblem(Diagnostic("HF771", f"`{path}` exists already", hint="`--overwrite` replaces it"))
