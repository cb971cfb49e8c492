"""The owner of a folder with the output of a stream: the stream, its feed and the format of its files.

A sink takes an existing folder `batch=12` for its own, written before a crash. The micro-batches of all streams have
the same numbers, so the folder of another stream must be refused. A stream has a random id in its checkpoint, and the
sink writes a file with this id into its folder. Spark and Arrow do not read files whose names begin with `_`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

from holdsfor.errors import DataProblem, Diagnostic, Hint, UsageProblem
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.identity import last_commit, read_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StreamFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["OWNER", "FolderOwner", "StreamId"]

OWNER = "_holdsfor"
"""The file of a folder that names its owner."""

_FILE = "id.json"
_OTHER_PLACE = Hint(
    "give another place, or the `checkpointLocation` of the stream that has written this one",
    on_command_line="give another place, or the `--checkpoint` of the stream that has written this one",
)


@dataclass(frozen=True)
class StreamId:
    """The id of a stream.

    A stream of an older version has the place of its checkpoint as id, as in its tables, and its folders name
    no owner. `last` is the last micro-batch that the stream can have written.
    """

    id: str
    is_older: bool = False
    last: int = 0

    @classmethod
    def read(cls, checkpoint: str) -> StreamId:
        """The id in a checkpoint; a new one for a new checkpoint."""
        files, last = _files(checkpoint), last_commit(checkpoint) + 1
        if _FILE in files.names(""):
            try:
                found: dict[str, Any] = json.loads(files.read(_FILE))
                return cls(str(found["id"]), bool(found["is_older"]), last)
            except (ValueError, TypeError, KeyError):
                message = f"the file `{_FILE}` of the checkpoint is damaged"
                raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None
        if read_manifest(files) is not None:
            return cls(checkpoint, is_older=True, last=last)
        return cls(uuid4().hex, last=last)

    def save(self, checkpoint: str) -> None:
        """Write the id to the checkpoint of a stream that has none."""
        files = _files(checkpoint)
        if _FILE not in files.names("") and (self.is_older or self.last == 0):
            files.write(_FILE, json.dumps({"id": self.id, "is_older": self.is_older}).encode())


def _files(checkpoint: str) -> StreamFiles:
    return StreamFiles(f"{checkpoint}/{FILES}")


@dataclass(frozen=True)
class FolderOwner:
    """The owner of a folder whose content is partitioned by a column with the numbers of micro-batches."""

    path: str
    stream: StreamId
    feed: str
    form: str
    column: str

    def output(self, spark: SparkSession) -> str | None:
        """The name of the output since its first micro-batch, which a folder keeps when it is moved.

        None if the folder names no owner; another stream, feed or format is refused (HF798).
        """
        files = HadoopFiles(spark, self.path)
        found = self._found(files)
        return None if found is None else str(found.get("output", self._output(files)))

    def last_number(self, spark: SparkSession) -> int | None:
        """The last micro-batch in the folder."""
        files = HadoopFiles(spark, self.path)
        numbers = [number for number in self._numbers(_names(files)) if number.isdecimal()]
        return max(map(int, numbers), default=None)

    def claim(self, files: HadoopFiles) -> None:
        """Write the name of the owner into a folder that names none."""
        if self._found(files) is not None:
            return
        beside = f"{files.root}/.{OWNER}.{uuid4().hex[:12]}"
        content = {"stream": self.stream.id, "feed": self.feed, "format": self.form, "output": self._output(files)}
        try:
            files.write(beside, json.dumps(content, ensure_ascii=False).encode())
            files.rename(beside, f"{files.root}/{OWNER}")
        finally:
            files.drop(beside)

    def _output(self, files: HadoopFiles) -> str:
        return f"{self.feed} in {files.root}"

    def _found(self, files: HadoopFiles) -> dict[str, Any] | None:
        """The owner that the folder names, if any."""
        names = _names(files)
        if OWNER not in names:
            self._check_numbers(names)
            self._check_others(names)
            return None
        try:
            found: dict[str, Any] = json.loads(files.read(f"{files.root}/{OWNER}"))
            stream, feed, form = found["stream"], found["feed"], found["format"]
        except (ValueError, TypeError, KeyError):
            self._refuse("the output of another stream")
        if stream != self.stream.id:
            self._refuse("the output of another stream")
        if feed != self.feed:
            self._refuse(f"the feed `{feed}` of this stream, found the feed `{self.feed}`")
        if form != self.form:
            self._refuse(f"files of the format `{form}`, found the format `{self.form}`")
        return found

    def _check_numbers(self, names: set[str]) -> None:
        """Refuse micro-batches without an owner, unless an older version of this stream can have written them."""
        numbers = self._numbers(names)
        is_own = self.stream.is_older and all(each.isdecimal() and int(each) <= self.stream.last for each in numbers)
        if numbers and not is_own:
            self._refuse("the output of another stream")

    def _check_others(self, names: set[str]) -> None:
        """Refuse the visible files of others, which a reader of the output would read."""
        others = sorted(name for name in names if not name.startswith(("_", ".", f"{self.column}=")))
        if others:
            self._refuse(f"other files, such as `{others[0]}`")

    def _numbers(self, names: set[str]) -> list[str]:
        """The numbers of micro-batches, as texts."""
        return [name.partition("=")[2] for name in names if name.startswith(f"{self.column}=")]

    def _refuse(self, found: str) -> NoReturn:
        raise UsageProblem(Diagnostic("HF798", f"`{self.path}` has {found}", hint=_OTHER_PLACE))


def _names(files: HadoopFiles) -> set[str]:
    """The names in a folder; a folder that does not exist has none."""
    return (files.within(files.root) or set()) if files.exists(files.root) else set()
