"""Streams of `format("holdsfor")`: a file that may grow, and a named pipe.

A position is a number of bytes, always after a line break. The position in a file has a digest of bytes before it, so
that a file which was replaced or truncated is recognised. The lines of a pipe are read from its `PipeSpool`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.blocks import BYTE_ORDER_MARK
from holdsfor.sources.file_marks import FileMark, mark_of
from holdsfor.sources.file_signatures import refuse_other_formats
from holdsfor.sources.input_streams import FilePiece
from holdsfor.sources.whole_lines import stream_blocks
from holdsfor.spark.input.pipe_spool import Piece, PipeSpool
from holdsfor.spark.input.text_source import line_batch

__all__ = ["FileStreamReader", "PipeStreamReader"]

_BLOCK = 1 << 16
_BYTES, _DIGEST = "bytes", "digest"


class _LineStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads lines of pieces of files, at most some in a micro-batch."""

    def __init__(self, at_most: int | None) -> None:
        self._at_most = at_most
        self._target: int | None = None

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadAllAvailable() if self._at_most is None else ReadMaxRows(self._at_most)

    def _limited(self, begin: int, end: int, limit: ReadLimit, pieces: Sequence[Piece]) -> int:
        """The position after the lines of a micro-batch, at most `end`."""
        if self._target is not None:
            end = min(end, self._target)
        if not isinstance(limit, ReadMaxRows) or end <= begin:
            return max(begin, end)
        left, position = limit.max_rows, begin
        for piece in pieces:
            for block in _blocks(piece):
                n_lines = block.count(b"\n")
                if n_lines >= left:
                    return min(end, position + _after_lines(block, left))
                left, position = left - n_lines, position + len(block)
        return end

    def read(self, partition: InputPartition) -> Iterator[Any]:
        for piece in partition.value:
            with FilePiece(piece.path, piece.begin, piece.end) as part:
                head = part.read(3)
                is_begin = piece.begin == 0 and head == BYTE_ORDER_MARK
                for block in stream_blocks(part, b"" if is_begin else head):
                    yield line_batch(block)


class FileStreamReader(_LineStreamReader):
    """A file; if it `follows` the file, its last line is read when it has a line break, else at once."""

    def __init__(self, path: str, at_most: int | None, *, follows: bool) -> None:
        super().__init__(at_most)
        self._path, self._follows = path, follows
        with Path(path).open("rb") as file:
            refuse_other_formats(file.read(64), path)

    def initialOffset(self) -> dict[str, Any]:
        return {_BYTES: 0, _DIGEST: ""}

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = Path(self._path).stat().st_size

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        begin = int(start[_BYTES])
        self._check(start)
        size = Path(self._path).stat().st_size
        end = _last_line_end(self._path, begin, size) if self._follows else size
        position = self._limited(begin, end, limit, [Piece(self._path, begin, end)])
        if position == begin:
            return start
        with Path(self._path).open("rb") as file:
            return {_BYTES: position, _DIGEST: mark_of(file.fileno(), position).digest}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        self._check(end)
        begin, last = int(start[_BYTES]), int(end[_BYTES])
        return [] if begin == last else [InputPartition([Piece(self._path, begin, last)])]

    def _check(self, offset: dict[str, Any]) -> None:
        """Refuse a file whose bytes before a position have changed."""
        if not offset[_BYTES]:
            return
        with Path(self._path).open("rb") as file:
            change = FileMark(int(offset[_BYTES]), str(offset[_DIGEST])).change_of(file.fileno())
        if change is not None:
            message = f"the input `{self._path}` {change}: it was replaced or truncated after the checkpoint"
            hint = "restore the file, or start the stream with another checkpoint"
            raise DataProblem(Diagnostic("HF709", message, hint=hint))


class PipeStreamReader(_LineStreamReader):
    """A named pipe, whose lines a thread copies to a folder while the query runs."""

    def __init__(self, path: str, folder: str, at_most: int | None) -> None:
        super().__init__(at_most)
        self._path, self._folder = path, folder
        self._known: PipeSpool | None = None
        self._begin: int | None = None
        self._is_until_end = False

    @property
    def _spool(self) -> PipeSpool:
        """The folder of the lines; the process of the query that plans micro-batches starts it."""
        if self._known is None:
            self._known = PipeSpool(self._folder, self._path)
            self._known.start()
        return self._known

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}

    def initialOffset(self) -> dict[str, Any]:
        return {_BYTES: 0}

    def prepareForTriggerAvailableNow(self) -> None:
        _ = self._spool  # a writer waits for a reader
        self._is_until_end = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        begin = int(start[_BYTES])
        if self._is_until_end and self._target is None:
            self._target = self._spool.wait_for_end(self._note_begin(begin))
        end = self._spool.end
        pieces = self._spool.pieces(begin, end) if end > begin else []
        return {_BYTES: self._limited(begin, end, limit, pieces)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        begin, last = int(start[_BYTES]), int(end[_BYTES])
        self._note_begin(begin)
        return [] if begin == last else [InputPartition(self._spool.pieces(begin, last))]

    def _note_begin(self, begin: int) -> int:
        """Where the first micro-batch of this start begins, which may be a repeated one."""
        self._begin = begin if self._begin is None else self._begin
        return self._begin

    def commit(self, end: dict[str, Any]) -> None:
        self._spool.drop_before(int(end[_BYTES]))


def _blocks(piece: Piece) -> Iterator[bytes]:
    with FilePiece(piece.path, piece.begin, piece.end) as part:
        while block := part.read(_BLOCK):
            yield block


def _after_lines(block: bytes, n_lines: int) -> int:
    """The number of bytes of the first lines of a block."""
    position = 0
    for _ in range(n_lines):
        position = block.index(b"\n", position) + 1
    return position


def _last_line_end(path: str, begin: int, size: int) -> int:
    """The position after the last line break between two positions; `begin` if there is none."""
    with Path(path).open("rb") as file:
        end = size
        while end > begin:
            first = max(begin, end - _BLOCK)
            file.seek(first)
            found = file.read(end - first).rfind(b"\n")
            if found >= 0:
                return first + found + 1
            end = first
    return begin
