"""Live inputs as feeds: the channel and the reader of lines.

The suffix determines the format of the lines, else the first line, as for a file.
"""

from __future__ import annotations

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.sources.channels import open_channel
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.feeds import CHUNK, Feed
from holdsfor.sources.formats import Format, format_of_suffix
from holdsfor.sources.inputs import InputReader, LineReader, split_input, text_form
from holdsfor.sources.live_reading import LiveReading
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

    def read(self, block: bytes) -> None:
        if self._reader is None:
            block = self._blank + block
            if not block.strip():
                self._blank = block
                return
            form = text_form(self.form, block, self.file, self.mapping, self.input_reader.names)
            self._reader = self.input_reader.line_reader(form, self.file, self.mapping)
        self._reader.read(block)


def open_feed(
    given: str,
    names: Names,
    tick: int,
    symbols: Symbols,
    clock: Clock | None = None,
    *,
    form: Format | None = None,
    n_bytes: int = CHUNK,
) -> Feed:
    """The live input of a name, perhaps with a description of its columns after a colon."""
    name, mapping = split_input(given)

    def reader(file: str, reading: LiveReading) -> _Lines:
        return _Lines(InputReader(names, tick, symbols, reading, clock or Clock()), file, mapping, form)

    return Feed(open_channel(str(name)), reader, n_bytes=n_bytes)
