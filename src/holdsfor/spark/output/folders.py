"""Folders that are written completely or not at all, on any file system that Spark can write to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from holdsfor.columns.file_metadata import TABLES_FILE
from holdsfor.errors import Diagnostic, ExecutionProblem, UsageProblem
from holdsfor.spark.cluster.connect import refuse_connect
from holdsfor.spark.output.atomic_rename import Swap, recover, swap
from holdsfor.spark.output.result_tables import TABLES, Form, ResultTable
from holdsfor.spark.output.targets import refuse_existing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["FolderTarget", "HadoopFiles", "ReplaceableFolder", "refuse_unmarked_folder"]


def refuse_unmarked_folder(path: str) -> None:
    """Refuse to replace a folder that this package has not written."""
    hint = "results only replace results, and history only replaces history: name another folder"
    raise UsageProblem(Diagnostic("HF780", f"`{path}` is not a folder of this kind and is not replaced", hint=hint))


class ReplaceableFolder:
    """A folder that is replaced as a whole, and only if it contains the entry `mark`.

    The folder is written under a hidden temporary name and renamed when it is complete. On file systems with atomic
    renames, such as local ones and HDFS, readers never see an incomplete folder.
    """

    def __init__(self, spark: SparkSession, path: str, mark: str, *, overwrite: bool = False) -> None:
        refuse_connect(spark, f"`{path}`")
        self.shown, self.spark = path, spark
        self._mark, self._overwrite = mark, overwrite
        self._files = HadoopFiles(spark, path)
        whole = self._files.root
        parent, _, name = whole.rpartition("/")
        if not name:
            refuse_unmarked_folder(path)
        self._swap = Swap(whole, f"{parent}/.{name}.{uuid4().hex[:12]}", f"{parent}/.{name}.before")

    @property
    def beside(self) -> str:
        """The path to write to."""
        return self._swap.beside

    def check(self) -> None:
        """Refuse to replace an existing folder without `overwrite`, or a folder without the mark."""
        recover(self._files, [self._swap])
        if self._files.exists(self._swap.name):
            if not self._overwrite:
                refuse_existing(self.shown)
            within = self._files.within(self._swap.name)
            if within is None or (within and self._mark not in within):
                refuse_unmarked_folder(self.shown)

    def write_text(self, name: str, text: str) -> None:
        """Write a text file into the folder."""
        self._files.write(f"{self.beside}/{name}", text.encode())

    def move(self) -> None:
        swap(self._files, [self._swap])

    def discard(self) -> None:
        self._files.drop(self._swap.beside)


class FolderTarget(ReplaceableFolder):
    """A folder with a folder for each table: those of fluents and events, `set_aside`, and `tables`, their list.

    Queries of `holdsfor query` read the descriptions of tables in the file `_tables.json`.
    """

    def __init__(self, spark: SparkSession, path: str, form: Form, *, overwrite: bool = False) -> None:
        super().__init__(spark, path, TABLES, overwrite=overwrite)
        self._form = form
        self._descriptions: dict[str, Any] = {}

    def begin(self, names: Sequence[str]) -> None:
        """Any names will do: the folder is replaced as a whole."""

    def write(self, result: ResultTable) -> None:
        """Write a table. Spark writes no file for a partitioned table without rows: add one, so that it can be read."""
        path = f"{self.beside}/{result.name}"
        self._form.writer(result).save(path)
        if self._form.parts(result) and not self._files.has_folders(path):
            self._form.schema_writer(result).save(path)
        if result.description is not None:
            self._descriptions[result.name] = result.description.as_json()

    def move(self) -> None:
        self.write_text(TABLES_FILE, json.dumps(self._descriptions, ensure_ascii=False, indent=1) + "\n")
        super().move()


_RENAMED_AT_ONCE = ("file", "hdfs", "viewfs", "webhdfs")


class HadoopFiles:
    """The file system of a path, as Spark sees it."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        context: Any = spark.sparkContext
        self._path = context._jvm.org.apache.hadoop.fs.Path
        there = self._path(path)
        self._system = there.getFileSystem(context._jsc.hadoopConfiguration())
        self.root: str = self._system.makeQualified(there).toString()

    @property
    def renames_at_once(self) -> bool:
        """Whether a folder is renamed in one step; object stores copy file by file."""
        return str(self._system.getUri().getScheme()) in _RENAMED_AT_ONCE

    def exists(self, name: str) -> bool:
        return bool(self._system.exists(self._path(name)))

    def within(self, name: str) -> set[str] | None:
        """The names of the entries of a folder; None for a file."""
        there = self._path(name)
        if not self._system.getFileStatus(there).isDirectory():
            return None
        return {status.getPath().getName() for status in self._system.listStatus(there)}

    def has_folders(self, name: str) -> bool:
        return any(status.isDirectory() for status in self._system.listStatus(self._path(name)))

    def rename(self, name: str, to: str) -> None:
        """Rename a folder. If the new name exists meanwhile, Hadoop moves the folder into it: undo that and fail."""
        is_moved = not self.exists(to) and self._system.rename(self._path(name), self._path(to))
        inside = f"{to}/{name.rpartition('/')[2]}"
        if is_moved and self.exists(inside):
            self._system.rename(self._path(inside), self._path(name))
            is_moved = False
        if not is_moved:
            message = f"`{name}` cannot be moved to `{to}`"
            raise ExecutionProblem(Diagnostic("HF620", message, hint="does another run write to the same folder?"))

    def make_folder(self, name: str) -> None:
        self._system.mkdirs(self._path(name))

    def read(self, name: str) -> bytes:
        stream = self._system.open(self._path(name))
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    def write(self, name: str, content: bytes) -> None:
        stream = self._system.create(self._path(name))
        stream.write(bytearray(content))
        stream.close()

    def drop(self, name: str) -> None:
        self._system.delete(self._path(name), True)
