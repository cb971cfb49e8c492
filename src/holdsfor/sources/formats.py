"""The format of a file: by its suffix, else by its first line, never by a guess.

Files of RTEC have the suffix `.csv` too, but neither a header nor commas. A first line that is a record of the rules,
or has integers at the positions of times, is a text file of RTEC. A first line with the columns of records, and any
first line if there is a mapping, is the header of a CSV file. Any other `.csv` file is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from holdsfor.analysis.names import Names
from holdsfor.errors import DataProblem, Diagnostic, Hint
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.csv_rows import read_header
from holdsfor.sources.fields import read_time

__all__ = ["HEAD", "TABLES", "Format", "format_of_suffix", "format_of_text"]

Format = Literal["text", "csv", "jsonl", "parquet", "orc", "arrow"]
TABLES = ("parquet", "orc", "arrow")
_SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".orc": "orc",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
HEAD = 1 << 16
"""The number of bytes of a text that decide its format."""

_USUAL_LINE = 1 << 10


def format_of_suffix(file: str) -> Format | None:
    """The format of a file's suffix, None if the suffix does not decide."""
    return _SUFFIXES.get(_suffix(file))


def _suffix(file: str) -> str:
    path = Path(file.lower())
    return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix


def format_of_text(content: bytes, file: str, mapping: Mapping | None, names: Names) -> Format:
    """The format of a text whose suffix does not decide; HF504 if the first line does not decide either."""
    line = _first_line(content)
    if line == "{" or (line.startswith("[") and _suffix(file) == ".json"):
        raise _problem(file, line, names)
    if line.startswith("{"):
        return "jsonl"
    if mapping is not None or read_header(line, None) is not None:
        return "csv"
    if _suffix(file) not in (".csv", ".tsv", ".json") or not line or _is_record(line, names):
        return "text"
    raise _problem(file, line, names)


def _first_line(content: bytes) -> str:
    for size in (_USUAL_LINE, HEAD):
        sample = bytes(content[:size]).decode("utf-8-sig", errors="replace")
        lines = [line for line in sample.split("\n") if line.strip()]
        if len(lines) > 1 or size == HEAD:
            break
    return lines[0].strip() if lines else ""


def _is_record(line: str, names: Names) -> bool:
    """Whether a line is a record in text form, perhaps with errors."""
    fields = [part.strip() for part in line.split("|")]
    if len(fields) < 2:
        return False
    known = {name for name, _ in (*names.events, *names.fluents)}
    return fields[0].removeprefix("-").strip() in known or [read_time(field) for field in fields[1:3]].count(None) == 0


def _problem(file: str, line: str, names: Names) -> DataProblem:
    if _suffix(file) == ".json" or line == "{":
        message = f"`{file}` begins with `{line[:80]}`, expected an object `{{…}}` a line"
        hint = "`jq -c .` writes objects as such lines" if line == "{" else "`jq -c '.[]'` writes a list as such lines"
        return DataProblem(Diagnostic("HF504", message, hint=hint, file=file))
    message = f"`{file}` begins neither with a record nor with a header of records: `{line[:80]}`"
    events = [f"{name}({', '.join(['column'] * arity)})" if arity else name for name, arity in names.input_events]
    event = (events or ["event(column, …)"])[0]
    what, described = "describe the columns that make a record", f"happensAt({event}, column)"
    hint = Hint(f'{what}: `("{file}", "{described}")`', on_command_line=f"{what}: `--input '{file}: {described}'`")
    return DataProblem(Diagnostic("HF504", message, hint=hint, file=file))
