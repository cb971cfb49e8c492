"""Answers to standard output or to a file, query time by query time: as lines, or as a Parquet or Arrow table."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.lines import LINES, Answer

__all__ = ["FORMATS", "check_output", "format_of", "write_answer"]

TABLES = ("parquet", "arrow")
FORMATS = (*LINES, *TABLES)
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".arrow": "arrow"}


def format_of(output: str | None) -> str:
    """The format that the suffix of a file tells, else text.

    >>> format_of("answer.parquet"), format_of(None)
    ('parquet', 'text')
    """
    return _SUFFIXES.get(Path(output).suffix.lower(), "text") if output else "text"


def check_output(form: str, output: str | None) -> None:
    """Refuse to write tables where a person would read them."""
    if form in TABLES and (output is None or _is_terminal(Path(output))):
        hint = f"say where it goes: `-o answer.{form}`"
        raise UsageProblem(Diagnostic("HF730", f"an answer as {form} needs a file to go to", hint=hint))


def _is_terminal(path: Path) -> bool:
    if not path.is_char_device():
        return False
    device = os.open(path, os.O_WRONLY | os.O_NOCTTY)
    try:
        return os.isatty(device)
    finally:
        os.close(device)


def write_answer(answers: Iterable[Answer], form: str, output: str | None) -> None:
    """Write answers as they come; whatever stops them, those that came are in the file."""
    if output is None:
        for line in LINES[form](answers):
            print(line)  # noqa: T201
    elif form in TABLES:
        _write_tables(answers, form, Path(output))
    else:
        with Path(output).open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in LINES[form](answers))


def _write_tables(answers: Iterable[Answer], form: str, path: Path) -> None:
    with path.open("wb") as file, _table_writer(file, form) as writer:
        for answer in answers:
            table = answer.table()
            if len(table):
                writer.write_table(table)


def _table_writer(file: Any, form: str) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    from holdsfor.columns.instances import answer_schema

    if form == "parquet":
        return pyarrow.parquet.ParquetWriter(file, answer_schema(), compression="zstd")
    return pa.ipc.new_file(file, answer_schema(), options=pa.ipc.IpcWriteOptions(compression="zstd"))
