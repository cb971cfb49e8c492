"""Live inputs as feeds: the channel and the reader of lines.

The suffix determines the format of the lines, else the first line, as for a file.
"""

from __future__ import annotations

from typing import Any

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.sources.channels import ended_channel, open_channel
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.csv_rows import CsvReader, Header, read_header
from holdsfor.sources.feeds import CHUNK, Feed
from holdsfor.sources.file_marks import FileMark
from holdsfor.sources.formats import Format, format_of_suffix
from holdsfor.sources.inputs import InputReader, LineReader, split_input, text_form
from holdsfor.sources.live_reading import LiveReading
from holdsfor.sources.text_columns import TextReader
from holdsfor.sources.times import Clock

__all__ = ["open_feed"]


class _Lines:
    """Reads blocks of lines in the format of the first line that is not blank."""

    def __init__(self, input_reader: InputReader, file: str, mapping: Mapping | None, form: Format | None) -> None:
        self.input_reader = input_reader
        self.file = file
        self.mapping = mapping
        self.form = form or format_of_suffix(file)
        self._reader: LineReader | None = None
        self._blank = b""
        self._repeated: Header | None = None

    def read(self, block: bytes) -> None:
        if self._reader is None:
            block = self._blank + block
            if not block.strip():
                self._blank = block
                return
            self.form = text_form(self.form, block, self.file, self.mapping, self.input_reader.names)
            self._reader = self.input_reader.line_reader(self.form, self.file, self.mapping)
        self._reader.read(self._without_repeated_header(block))

    def position(self) -> dict[str, Any]:
        """The reader's state after the lines read so far, for `continue_at`."""
        if self._reader is None:
            return {"n_blank": self._blank.count(b"\n")}
        reader = self._reader
        found: dict[str, Any] = {"form": self.form, "n_lines": reader.n_lines}
        if isinstance(reader, CsvReader) and reader.header is not None:
            found["header"] = [reader.header.columns, reader.header.delimiter]
        if not isinstance(reader, TextReader):
            found["compared"] = reader.rows.text_uses.compared()
            found["are_dates"] = reader.file_times.are_dates
        return found

    def continue_at(self, position: dict[str, Any], *, is_resent: bool) -> None:
        """Continue with the lines after a position. If lines are resent, the first may repeat the header."""
        if "form" not in position:
            self._blank = b"\n" * position["n_blank"]
            return
        header = Header(*position["header"]) if "header" in position else None
        self.form = form = position["form"]
        self._reader = self.input_reader.line_reader(form, self.file, self.mapping, header)
        self._reader.n_lines = position["n_lines"]
        self._repeated = header if is_resent else None
        if not isinstance(self._reader, TextReader):
            self._reader.rows.text_uses.restore_compared(position["compared"])
            self._reader.file_times.are_dates = position["are_dates"]

    def _without_repeated_header(self, block: bytes) -> bytes:
        """A block without the header that a writer repeats when it resumes."""
        header, self._repeated = self._repeated, None
        if header is None:
            return block
        line, _, rest = block.partition(b"\n")
        return b"\n" + rest if read_header(line.decode(), self.mapping) == header else block


def open_feed(
    given: str,
    names: Names,
    tick: int,
    symbols: Symbols,
    clock: Clock | None = None,
    *,
    form: Format | None = None,
    n_bytes: int = CHUNK,
    position: dict[str, Any] | None = None,
    follows: bool = False,
) -> Feed:
    """The live input of a name, perhaps with a description of its columns after a colon.

    With a `position` the input continues there; an input that had ended is not opened. An input that `follows` a file
    does not end with the file.
    """
    name, mapping = split_input(given)

    def reader(file: str, reading: LiveReading) -> _Lines:
        return _Lines(InputReader(names, tick, symbols, reading, clock or Clock()), file, mapping, form)

    if position is None:
        return Feed(open_channel(str(name), follows=follows), reader, n_bytes=n_bytes)
    mark = None if position["mark"] is None else FileMark(*position["mark"])
    has_ended = position["has_ended"]
    channel = ended_channel(str(name)) if has_ended else open_channel(str(name), mark, follows=follows)
    feed = Feed(channel, reader, n_bytes=n_bytes)
    feed.continue_at(position)
    return feed
