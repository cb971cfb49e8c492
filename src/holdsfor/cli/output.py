"""Where results go: standard output, a file or a named pipe, each query time's at once."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from holdsfor.sinks.lines import Known

__all__ = ["opened", "write_lines"]

Lines = Callable[[Iterable[Known]], Iterator[str]]


@contextmanager
def opened(path: str | None) -> Iterator[TextIO]:
    """The output of that path, else standard output.

    A named pipe is open once it has a reader; if the reader goes away before the end, the error names the pipe.
    """
    if path is None:
        yield sys.stdout
        return
    file = Path(path).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        yield file
        file.close()
    except BrokenPipeError as gone:
        with contextlib.suppress(BrokenPipeError):
            file.close()
        raise BrokenPipeError(gone.errno, "its reader has gone", path) from None
    finally:
        file.close()


def write_lines(lines: Lines, reports: Iterator[Known], output: TextIO) -> None:
    """Write reports as lines, so that each can be read before the next is computed."""
    output.writelines(f"{line}\n" for line in lines(_flushing(reports, output)))


def _flushing(reports: Iterator[Known], output: TextIO) -> Iterator[Known]:
    output.flush()
    for known in reports:
        yield known
        output.flush()
