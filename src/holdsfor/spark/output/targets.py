"""Output targets: a target has all results of a run, or its previous content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from holdsfor.errors import Diagnostic, Hint, UsageProblem
from holdsfor.spark.cluster.progress import wait_for_tasks
from holdsfor.spark.output.result_tables import ResultTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["OutputTarget", "Replaceable", "refuse_existing", "refuse_foreign", "replacing"]


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

    def begin(self, names: Sequence[str]) -> None:
        """Check the names of the tables that follow; the list of tables is the last one."""

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
    hint = Hint("`overwrite=True` replaces it", on_command_line="`--overwrite` replaces it")
    raise UsageProblem(Diagnostic("HF771", f"`{path}` exists already", hint=hint))


def refuse_foreign(table: str) -> None:
    """Refuse to replace a table that is not one of results."""
    hint = "results only replace results: choose another name, or rename the table"
    raise UsageProblem(Diagnostic("HF780", f"the table `{table}` is not one of results and is not replaced", hint=hint))
