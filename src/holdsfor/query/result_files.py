"""Results that `holdsfor run -o` has written, as an index: a file of any format, or a folder with such files.

A table has the columns `start` and `end`, the whole FVP or event as text in `fvp`, and `kind`, or is the table of one
fluent or event (`described_tables`), also in a folder of `holdsfor spark run -o`. A file with the reports of several
query times has a column `query_time`; the index is of one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from holdsfor.columns.file_metadata import TABLES_FILE, FileLayout, file_layout
from holdsfor.columns.time_type import TimeType
from holdsfor.errors import DataProblem, Diagnostic, HoldsforError
from holdsfor.query.described_tables import (
    described_folders,
    description_of,
    read_described_csv,
    read_described_duckdb,
    read_described_json,
    read_described_parquet,
    read_time,
)
from holdsfor.query.report_index import index_of_terms, with_known
from holdsfor.query.result_index import ResultIndex, RunSettings
from holdsfor.query.result_tables import table_rows, time_type
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.source import read_bounded_lines
from holdsfor.syntax.terms import Atom, Int, Struct, Term, list_items

__all__ = ["read_results"]

_SUFFIXES = (".duckdb", ".parquet", ".arrow", ".feather", ".csv", ".jsonl", ".ndjson", ".txt")
_WRITTEN_BY = "`holdsfor run … -o results.parquet` writes results"


@dataclass
class _Rows:
    """Rows of results by query time, None if the file has none; `kinds` are the types of the times."""

    name: str
    intervals: dict[int | None, dict[Term, list[tuple[int, int | None]]]] = field(default_factory=dict)
    times: dict[int | None, dict[Term, list[int]]] = field(default_factory=dict)
    kinds: set[TimeType | None] = field(default_factory=set)
    parsed: dict[str, Term] = field(default_factory=dict)
    tables: list[FileLayout] = field(default_factory=list)

    def term(self, text: object) -> Term:
        """The FVP or event of a text."""
        if not isinstance(text, str):
            _refuse(self.name, "a result without a name")
        if text not in self.parsed:
            try:
                self.parsed[text] = parse_term(text)
            except HoldsforError:
                _refuse(self.name, f"`{text}` is neither an FVP nor an event")
        return self.parsed[text]

    def time(self, given: object) -> int | None:
        """A time-point that is an integer or a text."""
        found, kind = read_time(given)
        if given is None:
            return None
        if found is None:
            _refuse(self.name, f"expected a time, found `{given}`")
        self.kinds.add(kind)
        return found

    def add(self, at: int | None, term: Term, start: int, end: int | None, *, is_fluent: bool) -> None:
        """Add an interval of an FVP, or a time-point of an event."""
        if is_fluent:
            self.intervals.setdefault(at, {}).setdefault(term, []).append((start, end))
        else:
            self.times.setdefault(at, {}).setdefault(term, []).append(start)

    def add_texts(self, at: object, text: object, start: object, end: object, kind: object) -> None:
        """Add a row of texts."""
        first = self.time(start)
        if first is None:
            _refuse(self.name, f"expected a time as the start of `{text}`, found nothing")
        self.add(self.time(at), self.term(text), first, self.time(end), is_fluent=kind == "fluent")


def read_results(path: str | Path, *, at: int | None = None, settings: RunSettings | None = None) -> ResultIndex:
    """The index of the results in a file or folder; `at` chooses a query time of a file with several.

    A file that is not a result, and several query times without a choice, are errors.
    """
    rows = _Rows(str(path))
    for file in _files(Path(path)):
        _READERS[_form(file)](file, rows)
    if len(rows.kinds) > 1:
        _refuse(rows.name, "some times are integers and some are not, or their units differ")
    chosen = _query_time(rows, at)
    given = settings or RunSettings()
    query_time = chosen if given.query_time is None else given.query_time
    found = RunSettings(given.start, query_time, given.tick, next(iter(rows.kinds), None))
    index = index_of_terms(rows.intervals.get(chosen, {}), rows.times.get(chosen, {}), found)
    return with_known(
        index, *([each.key for each in rows.tables if each.is_event is is_event] for is_event in (False, True))
    )


def _files(place: Path) -> list[Path]:
    if not place.exists():
        _refuse(str(place), "no such file or folder", _WRITTEN_BY)
    if not place.is_dir():
        return [place]
    folders = described_folders(place) or [place]
    files = sorted(p for folder in folders for p in _visible_files(folder))
    return files or _refuse(str(place), "the folder has no results")


def _visible_files(folder: Path) -> Iterator[Path]:
    suffixes = _SUFFIXES if description_of(folder) is None else (*_SUFFIXES, ".json")
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in suffixes and not _is_hidden(path, folder):
            yield path


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _query_time(rows: _Rows, at: int | None) -> int | None:
    """The query time to read: the given one, or the only one."""
    found = sorted({each for each in (*rows.intervals, *rows.times) if each is not None})
    if at is not None and at not in found:
        listed = ", ".join(map(str, found[:8])) + (" …" if len(found) > 8 else "")
        _refuse(rows.name, f"query time {at} not found", f"there are {listed}" if found else "leave out `--at`")
    if at is None and len(found) > 1:
        hint = f"choose one with `--at {found[-1]}`, or write what all of them settle: `holdsfor run … --final -o`"
        _refuse(rows.name, f"reports of {len(found)} query times", hint)
    return at if at is not None else found[0] if found else None


def _form(file: Path) -> str:
    suffix = file.suffix.lower()
    return {".duckdb": "duckdb", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".csv": "csv"}.get(
        suffix, "jsonl" if suffix in (".jsonl", ".ndjson", ".json") else "text"
    )


def _read_parquet(file: Path, rows: _Rows) -> None:
    import pyarrow.parquet  # type: ignore[import-untyped]

    description = description_of(file)
    if description is not None and file_layout(_opened(file, pyarrow.parquet.read_schema).metadata) is None:
        _add_table(_opened(file, lambda name: read_described_parquet(name, description)), rows, file)
        return
    _add_table(_opened(file, pyarrow.parquet.read_table), rows, file)


def _read_arrow(file: Path, rows: _Rows) -> None:
    import pyarrow.feather  # type: ignore[import-untyped]

    _add_table(_opened(file, pyarrow.feather.read_table), rows, file)


def _read_csv(file: Path, rows: _Rows) -> None:
    import pyarrow.csv  # type: ignore[import-untyped]

    def read(name: str) -> Any:
        texts = dict.fromkeys(("start", "end", "time", "query_time", "fvp", "kind"), pyarrow.string())
        options = pyarrow.csv.ConvertOptions(column_types=texts, strings_can_be_null=True)
        return pyarrow.csv.read_csv(name, convert_options=options)

    if (description := description_of(file)) is not None:
        _add_table(_opened(file, lambda name: read_described_csv(name, description)), rows, file)
        return
    table = _opened(file, read)
    _check_columns(file, table.column_names)
    for row in table.to_pylist():
        rows.add_texts(row.get("query_time"), row["fvp"], row["start"], row["end"], row["kind"])


def _opened(file: Path, read: Callable[[str], Any]) -> Any:
    import pyarrow as pa

    try:
        return read(str(file))
    except (pa.ArrowInvalid, pa.ArrowKeyError, ValueError, RecursionError) as problem:
        _refuse(str(file), f"the file cannot be read: {str(problem).splitlines()[0]}")


def _add_table(table: Any, rows: _Rows, file: Path) -> None:
    """Add the rows of a table of results."""
    found = table_rows(table)
    if found is None:
        _check_columns(file, table.column_names)
    layout = file_layout(table.schema.metadata)
    rows.tables += [] if layout is None else [layout]
    for at, entity, start, end, is_fluent in found or ():
        term = rows.term(entity) if isinstance(entity, str) else entity
        rows.add(at, term, start, end, is_fluent=is_fluent)
    if found:
        rows.kinds.add(time_type(table))


def _check_columns(file: Path, columns: list[str]) -> None:
    """Refuse columns that are not those of a table of all fluents and events."""
    if {"fvp", "kind", "start", "end"} <= set(columns):
        return
    hint = _WRITTEN_BY
    if {"value", "start", "end"} <= set(columns):
        hint = f"the tables of single fluents need the file `{TABLES_FILE}`, which is written with them"
    _refuse(str(file), f"the columns {', '.join(f'`{name}`' for name in columns)} are not those of results", hint)


def _read_duckdb(file: Path, rows: _Rows) -> None:
    tables = read_described_duckdb(file)
    if tables is None:
        _refuse(str(file), "the file is not a database of DuckDB")
    if not tables:
        _refuse(str(file), "no table of the database is a table of results", _WRITTEN_BY)
    for table in tables:
        _add_table(table, rows, file)


def _read_jsonl(file: Path, rows: _Rows) -> None:
    if (description := description_of(file)) is not None:
        _add_table(_opened(file, lambda name: read_described_json(name, description)), rows, file)
        return
    for number, line in enumerate(_lines(file), 1):
        if not line:
            continue
        try:
            given = json.loads(line)
            row = given.get("query_time"), given["fvp"], given["start"], given["end"], given["kind"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            _refuse(f"{file}:{number}", "the line is not a result")
        rows.add_texts(*row)


def _read_text(file: Path, rows: _Rows) -> None:
    at: int | None = None
    for number, line in enumerate(_lines(file), 1):
        if line.startswith("% query time "):
            at = rows.time(line.removeprefix("% query time ").strip())
        elif line.strip() and not line.startswith("%"):
            _add_line(line, at, rows, f"{file}:{number}")


def _add_line(line: str, at: int | None, rows: _Rows, place: str) -> None:
    """Add a line `holdsFor(F=V, [(S,E),…]).` or `happensAt(E, [T,…]).`"""
    try:
        term = parse_term(line)
    except HoldsforError:
        _refuse(place, "the line is not a result")
    match term:
        case Struct(name="holdsFor", args=(fvp, spans)):
            for item in list_items(spans)[0]:
                start, end = _bounds(item, rows, place)
                rows.add(at, fvp, start, end, is_fluent=True)
        case Struct(name="happensAt", args=(event, times)):
            for item in list_items(times)[0]:
                rows.add(at, event, _time_of(item, rows, place), None, is_fluent=False)
        case _:
            _refuse(place, "the line is not a result")


def _bounds(item: Term, rows: _Rows, place: str) -> tuple[int, int | None]:
    if not isinstance(item, Struct) or (item.name, len(item.args)) != (",", 2):
        _refuse(place, "expected intervals `(S,E)`")
    start, end = item.args
    return _time_of(start, rows, place), None if end == Atom("inf") else _time_of(end, rows, place)


def _time_of(term: Term, rows: _Rows, place: str) -> int:
    found = rows.time(term.value if isinstance(term, Int) else term.name) if isinstance(term, Int | Atom) else None
    return _refuse(place, "expected times") if found is None else found


def _lines(file: Path) -> Iterator[str]:
    try:
        yield from read_bounded_lines(file).decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        _refuse(str(file), "the file is not text")
    except ValueError as problem:
        _refuse(str(file), str(problem), _WRITTEN_BY)


def _refuse(place: str, why: str, hint: str | None = None) -> NoReturn:
    raise _problem(place, why, hint)


def _problem(place: str, why: str, hint: str | None = None) -> DataProblem:
    return DataProblem(Diagnostic("HF515", f"no results in `{place}`: {why}", hint=hint))


_READERS: dict[str, Callable[[Path, _Rows], None]] = {
    "parquet": _read_parquet,
    "arrow": _read_arrow,
    "csv": _read_csv,
    "duckdb": _read_duckdb,
    "jsonl": _read_jsonl,
    "text": _read_text,
}
