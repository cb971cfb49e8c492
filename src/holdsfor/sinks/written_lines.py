"""Reports that are lines of text already, as other processes have written them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from holdsfor.sinks.result_lines import LINES
from holdsfor.sinks.time_formats import ShowTime

__all__ = ["WrittenReport", "write_written"]


@dataclass(frozen=True)
class WrittenReport:
    """The lines of the FVPs and events of a report in UTF-8, in pieces of one or several lines."""

    query_time: int
    lines: Iterator[memoryview]


def write_written(
    reports: Iterable[WrittenReport], form: str, output: IO[Any], shown: ShowTime, *, has_query_time: bool
) -> None:
    """Write the lines of reports, each before the next is read, with the headers of the format."""
    output.writelines(f"{line}\n" for line in LINES[form]([], shown, has_query_time=has_query_time))
    for report in reports:
        if form == "text":
            output.write(f"% query time {shown(report.query_time)}\n")
        output.flush()
        if hasattr(output, "buffer"):
            output.buffer.writelines(report.lines)
        else:
            output.writelines(str(piece, "utf-8") for piece in report.lines)
        output.flush()
