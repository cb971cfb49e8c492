"""A live input: from bytes to records that have arrived.

Chunks of bytes become blocks of whole lines, which a reader turns into records. Bytes that cannot be part of a record
(invalid UTF-8, a line without an end) are set aside like a record that does not fit. They do not stop a live run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from holdsfor.sources.blocks import BYTE_ORDER_MARK, misfit_of_line, readable_lines
from holdsfor.sources.channels import Channel
from holdsfor.sources.live_reading import LiveReading
from holdsfor.syntax.source import LONGEST_LINE

__all__ = ["CHUNK", "BlockReader", "Feed", "MakeReader"]

CHUNK = 1 << 20
"""The default number of bytes of one read."""


class BlockReader(Protocol):
    """Reads blocks of whole lines, each with its line break, in UTF-8, into a reading.

    `position` returns the reader's state after the blocks read so far, as JSON.
    """

    def read(self, block: bytes) -> None: ...

    def position(self) -> dict[str, Any]: ...

    def continue_at(self, position: dict[str, Any], *, is_resent: bool) -> None: ...


MakeReader = Callable[[str, LiveReading], BlockReader]


class Feed:
    """A live input that turns chunks of bytes into records that have arrived.

    `offset` is the start of the first line of a file that is not completely read.
    """

    def __init__(self, channel: Channel, make_reader: MakeReader, *, n_bytes: int = CHUNK) -> None:
        self.channel = channel
        self.n_bytes = n_bytes
        self.reading = LiveReading()
        self.has_ended = False
        self._reader = make_reader(channel.name, self.reading)
        self._rest: list[bytes] = []
        self._n_rest = 0
        self._n_lines = 0
        self._is_skipping = False
        self._n_bytes_taken = channel.offset

    @property
    def offset(self) -> int:
        return self._n_bytes_taken - self._n_rest

    def position(self) -> dict[str, Any]:
        """The position in the input, as JSON, for `continue_at`, with the channel open at the mark."""
        mark = None if self.has_ended else self.channel.mark(self.offset)
        return {
            "mark": None if mark is None else [mark.length, mark.digest],
            "has_ended": self.has_ended,
            "n_lines": self._n_lines,
            "is_skipping": self._is_skipping,
            "reader": self._reader.position(),
        }

    def continue_at(self, position: dict[str, Any]) -> None:
        """Continue at a position. An input that cannot be read twice continues with a new line."""
        self.has_ended = position["has_ended"]
        self._n_lines = position["n_lines"]
        is_resent = position["mark"] is None
        self._is_skipping = position["is_skipping"] and not is_resent
        self._reader.continue_at(position["reader"], is_resent=is_resent)

    def has_passed(self, time: int) -> bool:
        """Whether no more records can arrive by a time-point: the input's clock is later, or the input has ended."""
        return self.has_ended or (self.reading.clock is not None and self.reading.clock > time)

    def next_arrival(self, time: int) -> int | None:
        """The earliest time after `time` at which a record may arrive; None if no record will arrive."""
        if self.reading.n_waiting:
            return self.reading.next_arrival
        return None if self.has_ended else max(time + 1, self.reading.clock or time)

    def read(self, earliest: int) -> None:
        """Read a chunk; its records arrived at `earliest` or later."""
        chunk = self.channel.read(self.n_bytes)
        if chunk is None:
            return
        if not chunk:
            self.has_ended = True
            self.channel.close()
        self._take(chunk)
        self.reading.arrive(earliest)

    def close(self) -> None:
        """Close the input."""
        if not self.has_ended:
            self.channel.close()

    def _take(self, chunk: bytes) -> None:
        """Split a chunk after its last line break; the end of the input ends the last line."""
        self._n_bytes_taken += len(chunk)
        end = chunk.rfind(b"\n") + 1
        if end or not chunk:
            block = b"".join([*self._rest, chunk[:end]])
            self._rest, self._n_rest = [], 0
            self._read_block(block if chunk or not block else block + b"\n")
        if chunk[end:]:
            self._rest.append(chunk[end:])
            self._n_rest += len(chunk) - end
        if self._n_rest > LONGEST_LINE:
            self._skip_line()

    def _read_block(self, block: bytes) -> None:
        if self._is_skipping:
            # The beginning of the first line is set aside already.
            block = block[block.find(b"\n") :]
            self._is_skipping = False
        if not self._n_lines:
            block = block.removeprefix(BYTE_ORDER_MARK)
        if not block:
            return
        self._reader.read(readable_lines(block, self.channel.name, self._n_lines, self.reading))
        self._n_lines += block.count(b"\n")

    def _skip_line(self) -> None:
        """Set aside a line that is longer than any record, and skip the rest of it."""
        if not self._is_skipping:
            self.reading.n_records += 1
            self.reading.set_aside.append(misfit_of_line(b"".join(self._rest), self.channel.name, self._n_lines + 1))
        self._rest, self._n_rest = [], 0
        self._is_skipping = True
