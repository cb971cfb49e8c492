"""Results in a folder of any file system that Spark can write to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from holdsfor.errors import Diagnostic, ExecutionProblem, UsageProblem
from holdsfor.spark.places import refuse_existing
from holdsfor.spark.results import RESULTS, Form, Result
from holdsfor.spark.swapping import Swap, recover, swap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Folder", "refuse_foreign"]


def refuse_foreign(path: str) -> None:
    """Tell that what is in the place is not for us to delete."""
    hint = "results replace results only: name another folder"
    raise UsageProblem(Diagnostic("HF780", f"`{path}` is not a folder of results, and is not replaced", hint=hint))


class Folder:
    """A folder with a table each for intervals, events and records set aside.

    They are written to a hidden folder beside it, which takes its name when it is complete. Where the file system
    renames folders at once, as local ones and HDFS do, nobody ever sees half of it.
    """

    def __init__(self, spark: SparkSession, path: str, form: Form, *, overwrite: bool = False) -> None:
        self.shown, self.spark = path, spark
        self._form, self._overwrite = form, overwrite
        self._files = _Files(spark, path)
        whole = self._files.root
        parent, _, name = whole.rpartition("/")
        if not name:
            refuse_foreign(path)
        self._swap = Swap(whole, f"{parent}/.{name}.{uuid4().hex[:12]}", f"{parent}/.{name}.before")

    def check(self) -> None:
        """Refuse to replace what may not be replaced."""
        recover(self._files, [self._swap])
        if self._files.exists(self._swap.name):
            if not self._overwrite:
                refuse_existing(self.shown)
            within = self._files.within(self._swap.name)
            if within is None or (within and RESULTS[-1] not in within):
                refuse_foreign(self.shown)

    def write(self, result: Result) -> None:
        self._form.writer(result).save(f"{self._swap.beside}/{result.name}")

    def move(self) -> None:
        swap(self._files, [self._swap])

    def discard(self) -> None:
        self._files.drop(self._swap.beside)


class _Files:
    """The file system of a path, as Spark sees it."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        context: Any = spark.sparkContext
        self._path = context._jvm.org.apache.hadoop.fs.Path
        there = self._path(path)
        self._system = there.getFileSystem(context._jsc.hadoopConfiguration())
        self.root: str = self._system.makeQualified(there).toString()

    def exists(self, name: str) -> bool:
        return bool(self._system.exists(self._path(name)))

    def within(self, name: str) -> set[str] | None:
        """The names in a folder; none of a file."""
        there = self._path(name)
        if not self._system.getFileStatus(there).isDirectory():
            return None
        return {status.getPath().getName() for status in self._system.listStatus(there)}

    def rename(self, name: str, to: str) -> None:
        """Give a folder another name; one that would go into a folder of this name, which came in between, does not."""
        is_moved = not self.exists(to) and self._system.rename(self._path(name), self._path(to))
        inside = f"{to}/{name.rpartition('/')[2]}"
        if is_moved and self.exists(inside):
            self._system.rename(self._path(inside), self._path(name))
            is_moved = False
        if not is_moved:
            message = f"`{name}` cannot be moved to `{to}`"
            raise ExecutionProblem(Diagnostic("HF620", message, hint="does another run write to the same place?"))

    def drop(self, name: str) -> None:
        self._system.delete(self._path(name), True)
