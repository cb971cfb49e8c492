"""The files that match a path, folder or pattern, on any file system of Spark; and messages of Java exceptions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from holdsfor.errors import DataProblem, Diagnostic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["File", "first_files", "first_sentence", "folder_of", "java_message", "java_problems", "list_files"]

_MOST_LISTED = 1_000
_HINT = "give files, folders or patterns such as 'events/*.csv' that Spark can see"


@dataclass(frozen=True)
class File:
    """A file: its URI in the metadata of Spark's rows, and a number that identifies it in rows."""

    uri: str
    number: int

    @property
    def path(self) -> str:
        """The path of a local file, or the URI of another one, without escapes.

        >>> File("file:/tmp/a%20b.txt", 1).path, File("hdfs://host:9000/a.txt", 2).path
        ('/tmp/a b.txt', 'hdfs://host:9000/a.txt')
        """
        parts = urlsplit(self.uri)
        path = unquote(parts.path)
        return path if parts.scheme == "file" else f"{parts.scheme}://{parts.netloc}{path}"

    @property
    def pattern(self) -> str:
        """The pattern that only this file matches."""
        escaped = re.sub(r"([\\\[\]{}*?])", r"\\\1", self.path)
        return f"file:{escaped}" if self.uri.startswith("file:") else escaped


def list_files(spark: SparkSession, path: str) -> list[File]:
    """The matching files in order of their paths; a path without files is HF501."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("ignoreMissingFiles", "true")
    uri = F.col("_metadata.file_path")
    try:
        rows = reader.load(path).select(uri, F.xxhash64(uri)).collect()
    except java_problems() as problem:
        if isinstance(problem, AnalysisException) and problem.getCondition() == "PATH_NOT_FOUND":
            raise _problem(path, f"`{path}` not found") from None
        raise _problem(path, f"`{path}` cannot be read: {java_message(problem)}") from None
    files = sorted((File(uri, number) for uri, number in rows), key=lambda file: file.path)
    if not files:
        raise _problem(path, f"`{path}` has no files in it")
    assert len({file.number for file in files}) == len({file.uri for file in files}), "two files have the same hash"
    return files


def first_files(spark: SparkSession, path: str, n: int) -> list[File]:
    """The first files with content of a path, folder or pattern, by name, among the first thousand that are listed.

    Files in folders inside come after those beside the folders.
    """
    jvm: Any = spark.sparkContext._jvm
    there = jvm.org.apache.hadoop.fs.Path(path)
    system = there.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    found: list[str] = []
    folders = list(islice(system.globStatus(there) or (), _MOST_LISTED))
    while folders and len(found) < n:
        every = (each for folder in folders for each in _listed(system, folder))
        listed = [each for each in islice(every, _MOST_LISTED) if _is_visible(each)]  # each property is a call of Java
        found += sorted(str(each.getPath().toUri().toString()) for each in listed if each.isFile() and each.getLen())
        folders = [each for each in listed if each.isDirectory()]
    return [File(uri, number) for number, uri in enumerate(found[:n])]


def _listed(system: Any, place: Any) -> Any:
    """The files and folders in a folder; a file itself, which a pattern matches."""
    return system.listStatus(place.getPath()) if place.isDirectory() else [place]


def _is_visible(place: Any) -> bool:
    """Whether Spark reads a file, or the files of a folder."""
    name = place.getPath().getName()
    return name[0] not in "._" or (name[0] == "_" and "=" in name)


def _problem(path: str, message: str) -> DataProblem:
    return DataProblem(Diagnostic("HF501", message, hint=_HINT, file=path))


def folder_of(spark: SparkSession, path: str) -> str | None:
    """The qualified path of a folder; None for a file or a pattern."""
    jvm: Any = spark.sparkContext._jvm
    there = jvm.org.apache.hadoop.fs.Path(path)
    system = there.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    is_folder = system.exists(there) and system.getFileStatus(there).isDirectory()
    return str(system.makeQualified(there).toString()) if is_folder else None


# -- exceptions of Java ------------------------------------------------------------------------------------------------


def java_problems() -> tuple[type[Exception], ...]:
    """The exceptions that a call of Java raises; PySpark converts some of them to its own classes."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return Py4JError, PySparkException


def java_message(problem: Exception) -> str:
    """The first sentence of the message of an exception, without class and stack trace."""
    thrown = getattr(problem, "java_exception", None)
    return first_sentence(str(problem) if thrown is None else str(thrown.getMessage() or thrown))


def first_sentence(text: str) -> str:
    """The first sentence of a message of Spark or Java, without its error condition.

    >>> first_sentence("[PATH_NOT_FOUND] Path does not exist: file:/tmp/a.txt. SQLSTATE: 42K03")
    'path does not exist: file:/tmp/a.txt'
    """
    first = text.strip().splitlines()[0]
    sentence = (first.partition("] ")[2] if first.startswith("[") else "") or first
    sentence = sentence.partition(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
