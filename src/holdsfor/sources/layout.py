"""Tables of any columns to rows with the columns of records.

    name        text                    of the event or fluent
    start       time                    of an event or of a fluent at a time-point; begin of an interval; or `time`
    arrival     time                    when it is known; missing: at its start
    end         time, or null           end of an interval (right-open)
    value       text or number          of the fluent; null for an event
    arg1 …      text or number          arguments; null if the record has fewer
    op          text, or null           `-` takes a record back

A table has these columns itself, or a mapping says which of its own columns stand for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.errors import DataProblem, Diagnostic, did_you_mean
from holdsfor.kernels.keys import Int64
from holdsfor.sources.mapping import Mapping
from holdsfor.sources.rows import is_argument
from holdsfor.sources.times import Clock
from holdsfor.syntax.terms import Atom, Float, Int, Str, Var

__all__ = ["TIMES", "LaidOut", "Layout", "is_header", "layout_of"]

TIMES = ("start", "end", "arrival")
_OTHERS = ("name", "value", "op")
_HINT = "records have the columns name, start, end, value, arg1, arg2 and so on, arrival if it is not start, and op"
_OWN = "columns of your own are described with `'FILE: happensAt(event(column, …), column)'`"


@dataclass(frozen=True)
class LaidOut:
    """Rows with the columns of records, which rows of the table they are, and what is wrong with their times."""

    batch: Any
    rows: Int64
    faults: dict[int, str]


@dataclass(frozen=True)
class Layout:
    """For each column of records the column of the table, or the one text that all rows have."""

    columns: dict[str, str]
    constants: dict[str, str] = field(default_factory=dict)
    conditions: list[tuple[str, str]] = field(default_factory=list)

    @property
    def wanted(self) -> list[str]:
        """The columns of the table that are read."""
        return list(dict.fromkeys([*self.columns.values(), *(column for column, _ in self.conditions)]))

    def apply(self, batch: Any, clock: Clock) -> LaidOut:
        """The rows of a batch that are meant, as records."""
        rows = self._meant(batch)
        if len(rows) < len(batch):
            batch = batch.take(pa.array(rows))
        columns = {ours: batch.column(theirs) for ours, theirs in self.columns.items()}
        columns |= {ours: _repeated(text, len(batch)) for ours, text in self.constants.items()}
        faults: dict[int, str] = {}
        for ours in TIMES:
            if ours in columns:
                columns[ours], wrong = clock.column(columns[ours], f"`{self.columns.get(ours, ours)}`")
                faults = wrong | faults
        if self.constants:
            faults = self._missing(batch) | faults
        columns.setdefault("arrival", columns["start"])
        return LaidOut(pa.RecordBatch.from_pydict(columns), rows, faults)

    def _missing(self, batch: Any) -> dict[int, str]:
        """The rows of a mapping that lack what each of its rows must have."""
        faults: dict[int, str] = {}
        for ours, theirs in self.columns.items():
            column = batch.column(theirs)
            if ours != "op" and column.null_count:
                lacking = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
                faults = dict.fromkeys(lacking.tolist(), f"`{theirs}` is missing") | faults
        return faults

    def _meant(self, batch: Any) -> Int64:
        meant = np.ones(len(batch), np.bool_)
        for column, text in self.conditions:
            is_such = pc.equal(batch.column(column).cast(pa.string()), text).fill_null(False)
            meant &= is_such.to_numpy(zero_copy_only=False)
        return np.flatnonzero(meant)


def _repeated(text: str, n: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


def is_header(columns: Sequence[str]) -> bool:
    """Whether the columns are those of records."""
    return "name" in columns and ("start" in columns or "time" in columns)


def layout_of(columns: list[str], mapping: Mapping | None, names: Names, file: str) -> Layout:
    """Where the columns of records are in a table; one that lacks them is HF502, or HF505 with a mapping."""
    if mapping is None:
        _check_columns(columns, file)
        return Layout({_ours(column): column for column in columns})
    mapping.check_record(names)
    mapping.check(columns, file)
    own = {ours: term.name for ours, term in mapping.columns.items() if isinstance(term, Atom | Var)}
    constants = {ours: str(term.value) for ours, term in mapping.columns.items() if isinstance(term, Int | Float | Str)}
    conditions = [(column.name, text) for column, text in mapping.conditions]
    return Layout(own, {"name": mapping.record.name, **constants}, conditions)


def _ours(column: str) -> str:
    return "start" if column == "time" else column


def _check_columns(columns: list[str], file: str) -> None:
    """Refuse a table that is not one of records: one error, however many columns are others."""
    meant = [_ours(column) for column in columns]
    missing = [name for name in ("name", "start") if name not in meant]
    n_args = sum(map(is_argument, columns))
    expected = (*TIMES, *_OTHERS, *(f"arg{i + 1}" for i in range(n_args)))
    foreign = [column for column in dict.fromkeys(meant) if column not in expected]
    twice = [column for column in dict.fromkeys(meant) if meant.count(column) > 1]
    if missing:
        found = _listed(columns) or "none"
        message = f"column {_listed(missing, ' and ')} not found among the columns of the table: {found}"
        hint = f"{_HINT}; {_OWN}"
    elif foreign:
        is_one = len(foreign) == 1
        message = (
            f"column {_listed(foreign)} is none of a record"
            if is_one
            else f"{_listed(foreign)} are no columns of records"
        )
        hint = (did_you_mean(foreign[0], expected) if is_one else None) or f"{_HINT}; {_OWN}"
    elif twice:
        message, hint = f"column {_listed(twice)} is there more than once", _HINT
    else:
        return
    raise DataProblem(Diagnostic("HF502", message, hint=hint, file=file))


def _listed(columns: Sequence[str], separator: str = ", ") -> str:
    return separator.join(f"`{column}`" for column in columns)
