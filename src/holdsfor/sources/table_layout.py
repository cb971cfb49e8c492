"""Tables of any columns to rows with the columns of records.

    name        text                    of the event or fluent
    start       time                    of an event or of a fluent at a time-point; start of an interval; or `time`
    arrival     time                    of the record; if missing, its start
    end         time, or null           end of an interval (right-open), null if it is open
    value       text or number          of the fluent; null for an event
    arg1 …      text or number          arguments; null if the record has fewer
    op          text, or null           `-` retracts a record
    revision    text or integer, null   id that a retraction and an insertion have in common

A table has these columns itself, or a mapping gives its own column for each. The kind of a column determines the
meaning of its texts (`holdsfor.sources.column_kinds`); `arg2:number` is the column `arg2` with its kind.

A row with a value and null as its end is an open interval, unless the FVP arrives as time-points. A mapping has the
shape of its record, so in a mapping of intervals each null is an open end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.analysis.variable_types import ConstantType
from holdsfor.errors import DataProblem, Diagnostic, did_you_mean
from holdsfor.kernels.keys import Int64
from holdsfor.sources.column_kinds import ColumnKind, as_field, split_kind
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.times import Clock
from holdsfor.sources.typed_columns import (
    as_integers,
    as_numbers,
    as_plain,
    as_texts,
    decoded,
    is_text_type,
    without_nan,
)
from holdsfor.syntax.terms import Atom, Float, Int, Str, Var
from holdsfor.syntax.time_points import OPEN_END

__all__ = ["TIMES", "LaidOut", "Layout", "fact_layout", "is_argument", "is_header", "layout_of", "time_columns"]

TIMES = ("start", "end", "arrival")
_OTHERS = ("name", "value", "op", "revision")
_HINT = "records have the columns name, start, end, value, arg1, arg2 and so on, arrival if it is not start, and op"
_OWN = "columns of your own are described with `'FILE: happensAt(event(column, …), column)'`"


@dataclass(frozen=True)
class LaidOut:
    """Rows with the columns of records, their row numbers in the table, and their errors.

    The strings of the columns `texts` are atoms; other strings are fields as in a text file. `typed` maps the columns
    of a declared type to their names in the table and the type.
    """

    batch: Any
    rows: Int64
    faults: dict[int, str]
    texts: frozenset[str]
    typed: dict[str, tuple[str, ConstantType]]
    optional: frozenset[str] = frozenset()
    """The columns in which null is the constant `none`."""
    columns: dict[str, str] = field(default_factory=dict)
    """The names of the columns in the table."""
    arrive_at_start: bool = False
    """Whether there are no arrivals but the starts."""
    are_dates: bool = False
    """Whether the times were dates."""
    has_open_ends: bool = False
    """Whether null is an open end, in a table with a column of ends."""


@dataclass(frozen=True)
class Layout:
    """For each column of records the column of the table, or the one field that all rows have.

    `kinds` are given by the mapping or the names of the columns; other columns of strings are of `kind`, or `term` if
    they are among `mixed`: texts and numbers as fields. With `has_lengths`, the column of ends has lengths.
    """

    columns: dict[str, str]
    constants: dict[str, str] = field(default_factory=dict)
    conditions: list[tuple[str, str]] = field(default_factory=list)
    kinds: dict[str, ColumnKind] = field(default_factory=dict)
    kind: ColumnKind = "text"
    mixed: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    has_lengths: bool = False

    @property
    def texts(self) -> dict[str, str]:
        """The columns whose strings are texts, with their names in the table."""
        return {
            ours: theirs
            for ours, theirs in self.columns.items()
            if (ours == "value" or is_argument(ours)) and self.kinds.get(ours, self.kind) == "text"
        }

    @property
    def wanted(self) -> list[str]:
        """The columns of the table that are read."""
        return list(dict.fromkeys([*self.columns.values(), *(column for column, _ in self.conditions)]))

    def apply(self, batch: Any, clock: Clock, file_times: FileTimes | None = None) -> LaidOut:
        """The rows of a batch that satisfy the conditions, as records; the batches of a file share its `file_times`."""
        file_times = file_times or FileTimes(is_typed=True)
        rows = self._selected(batch)
        if len(rows) < len(batch):
            batch = batch.take(pa.array(rows))
        columns = {ours: without_nan(batch.column(theirs)) for ours, theirs in self.columns.items()}
        is_missing = {ours: column for ours, column in columns.items() if column.null_count}
        columns |= {ours: _repeated(text, len(batch)) for ours, text in self.constants.items()}
        faults: dict[int, str] = {}
        are_dates = any(_are_dates(columns[ours].type) for ours in TIMES if ours in columns)
        for ours in TIMES:
            if ours in columns and ours == "end" and self.has_lengths:
                columns["end"], wrong = self._ends_of(columns["start"], columns["end"], clock)
                faults = wrong | faults
            elif ours in columns:
                columns[ours], wrong = self._times_of(columns[ours], ours, clock, file_times)
                faults = wrong | faults
        for ours in self.columns:
            if ours == "value" or is_argument(ours):
                columns[ours], wrong = self._constants_of(columns[ours], ours, clock)
                faults = wrong | faults
        if self.constants:
            faults = self._missing(is_missing) | faults
        arrive_at_start = "arrival" not in columns
        if "start" in columns:
            columns.setdefault("arrival", columns["start"])
        texts = frozenset(ours for ours, theirs in self.texts.items() if theirs not in self.mixed or ours in self.kinds)
        return LaidOut(
            pa.RecordBatch.from_pydict(columns),
            rows,
            faults,
            texts,
            dict(self._typed(columns, has_schema=file_times.is_typed)),
            self.optional,
            self.columns,
            arrive_at_start,
            are_dates or bool(file_times.are_dates),
            "end" in self.columns and not file_times.of_objects,
        )

    def _typed(self, columns: dict[str, Any], *, has_schema: bool) -> Iterator[tuple[str, tuple[str, ConstantType]]]:
        """The columns of a declared type: by their kind, as text, or as numbers by the schema of a table."""
        texts = self.texts
        for ours, theirs in self.columns.items():
            if ours == "value" or is_argument(ours):
                is_number = has_schema or self.kinds.get(ours) == "integer"
                types = _type_of_numbers(columns[ours].type) if is_number else ConstantType.NOTHING
                types = types or (ConstantType.TEXT if ours in texts else ConstantType.NOTHING)
                if types:
                    yield ours, (theirs, types)

    def _missing(self, columns: dict[str, Any]) -> dict[int, str]:
        """The rows of a mapping that lack a required value."""
        faults: dict[int, str] = {}
        for ours, column in columns.items():
            if ours not in ("op", "revision", *self.optional):
                lacking = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
                faults = dict.fromkeys(lacking.tolist(), f"`{self.columns[ours]}` is null") | faults
        return faults

    def _times_of(self, column: Any, ours: str, clock: Clock, file_times: FileTimes) -> tuple[Any, dict[int, str]]:
        """The column of times as time-points, and the errors of its rows; null in an optional column is an open end."""
        theirs = self.columns.get(ours, ours)
        fractions: dict[int, str] = {}
        if pt.is_floating(column.type):
            column = pc.if_else(pc.equal(column, math.inf), None, column) if ours == "end" else column
            column, fractions = as_integers(column, theirs)
        is_open = column.is_null() if ours in self.optional else None
        times, faults = clock.record_column(column, f"`{theirs}`", ours, file_times)
        return times if is_open is None else pc.if_else(is_open, OPEN_END, times), fractions | faults

    def _ends_of(self, starts: Any, lengths: Any, clock: Clock) -> tuple[Any, dict[int, str]]:
        """The ends of intervals with these lengths, and the errors of rows; an interval without a length is open."""
        theirs = self.columns["end"]
        fractions: dict[int, str] = {}
        is_open = lengths.is_null()
        if pt.is_floating(lengths.type):
            lengths, fractions = as_integers(lengths, theirs)
        lengths, faults = clock.length_column(lengths, f"`{theirs}`")
        ends = pc.add(starts, pc.if_else(pc.less_equal(lengths, OPEN_END), lengths, 0))
        return pc.if_else(is_open, OPEN_END, ends), fractions | faults

    def _constants_of(self, column: Any, ours: str, clock: Clock) -> tuple[Any, dict[int, str]]:
        """The column of a value or an argument as texts, numbers or fields, and the errors of its rows."""
        theirs = self.columns[ours]
        kind = self.kinds.get(ours)
        if pt.is_timestamp(column.type) and kind in (None, "integer"):
            kind = "time"
        column = as_plain(column)
        match kind:
            case "time":
                return clock.argument_column(decoded(column), f"`{theirs}`")
            case "number" if is_text_type(column.type):
                return as_numbers(column, theirs)
            case "integer":
                return as_integers(column, theirs)
            case "text" if not is_text_type(column.type):
                return as_texts(column), {}
        return column, {}

    def _selected(self, batch: Any) -> Int64:
        meant = np.ones(len(batch), np.bool_)
        for column, text in self.conditions:
            is_such = pc.equal(batch.column(column).cast(pa.string()), text).fill_null(False)
            meant &= is_such.to_numpy(zero_copy_only=False)
        return np.flatnonzero(meant)


def _are_dates(kind: Any) -> bool:
    return bool(pt.is_timestamp(kind) or pt.is_date32(kind))


def _type_of_numbers(arrow_type: Any) -> ConstantType:
    if pt.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    if pt.is_integer(arrow_type) or pt.is_decimal(arrow_type):
        return ConstantType.INTEGER
    return ConstantType.FLOAT if pt.is_floating(arrow_type) else ConstantType.NOTHING


def _repeated(text: str, n: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


def is_argument(column: str) -> bool:
    return re.fullmatch(r"arg[1-9]\d*", column, re.ASCII) is not None


def is_header(columns: Sequence[str]) -> bool:
    """Whether the columns are those of records."""
    return "name" in columns and ("start" in columns or "time" in columns)


def time_columns(mapping: Mapping | None) -> frozenset[str]:
    """The columns of a table that have times of records."""
    if mapping is None:
        return frozenset({"time", *TIMES})
    terms = [mapping.columns[ours] for ours in TIMES if ours in mapping.columns]
    return frozenset(term.name for term in terms if isinstance(term, Atom | Var))


def layout_of(
    columns: list[str], mapping: Mapping | None, names: Names, file: str, kind: ColumnKind = "text"
) -> Layout:
    """The positions of the columns of records in a table; a table that lacks them is HF502, or HF505 with a mapping.

    `kind` is the kind of strings that have no other kind.
    """
    if mapping is None:
        ours = _check_columns(columns, file)
        kinds = {name: found for name, column in ours.items() if (found := split_kind(column)[1]) is not None}
        return Layout(ours, kinds=kinds, kind=kind)
    mapping.check_record(names)
    return _mapped(columns, mapping, file, kind)


def fact_layout(columns: list[str], mapping: Mapping, file: str, kind: ColumnKind = "text") -> Layout:
    """The positions of the arguments of facts in a table; HF505 for a table that lacks them."""
    return _mapped(columns, mapping, file, kind)


def _mapped(columns: list[str], mapping: Mapping, file: str, kind: ColumnKind) -> Layout:
    mapping.check(columns, file)
    own = {ours: term.name for ours, term in mapping.columns.items() if isinstance(term, Atom | Var)}
    constants = {ours: _field(term) for ours, term in mapping.columns.items() if isinstance(term, Int | Float | Str)}
    conditions = [(column.name, text) for column, text in mapping.conditions]
    return Layout(
        own,
        {"name": mapping.record.name, **constants},
        conditions,
        dict(mapping.kinds),
        kind,
        optional=mapping.optional | ({"end"} & own.keys()),
        has_lengths=mapping.has_lengths,
    )


def _field(constant: Int | Float | Str) -> str:
    return as_field(constant.value) if isinstance(constant, Str) else str(constant.value)


def _role(column: str) -> str:
    """The column of records that a column of a table has the role of."""
    name, kind = split_kind(column)
    if kind is not None and (name == "value" or is_argument(name)):
        return name
    return "start" if column == "time" else column


def _check_columns(columns: list[str], file: str) -> dict[str, str]:
    """For each column of records the column of the table; HF502 for a table that does not have these columns."""
    meant = [_role(column) for column in columns]
    missing = [name for name in ("name", "start") if name not in meant]
    n_args = sum(map(is_argument, meant))
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
            f"column {_listed(foreign)} is not a column of records"
            if is_one
            else f"{_listed(foreign)} are not columns of records"
        )
        hint = (did_you_mean(foreign[0], expected) if is_one else None) or f"{_HINT}; {_OWN}"
    elif twice:
        message, hint = f"column {_listed(twice)} occurs more than once", _HINT
    else:
        return dict(zip(meant, columns, strict=True))
    raise DataProblem(Diagnostic("HF502", message, hint=hint, file=file))


def _listed(columns: Sequence[str], separator: str = ", ") -> str:
    return separator.join(f"`{column}`" for column in columns)
