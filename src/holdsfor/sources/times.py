"""Times of records to time-points: integers unchanged, ISO 8601 and Arrow timestamps as time since 1970.

A time such as `2026-03-01T08:00:00+01:00` becomes a number of seconds, or of the finer unit of the run. A time that is
not a whole number of units is an error of a run whose unit is not given; else its record is set aside. Dates are in the
years 1 to 9999, those that can be written again. A start or an arrival is before the year 9999, so that the time-points
that follow can be written too. A time without an offset from UTC is taken as UTC. Times with and without an
offset cannot be compared, so all times of a run must be of the same form as the first. With a time zone, a time
without an offset is a time of the zone, and both forms can be compared. `holdsfor.sources.file_times` decides whether
the times of a file are integers or dates.

The times of results have the unit and the zone of the columns of timestamps in the input, so that they join back. They
have the finest unit of several columns, and UTC if the zones differ.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import Any, Literal, NoReturn, get_args

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.columns.time_type import TimeType
from holdsfor.errors import Diagnostic, Hint, UsageProblem
from holdsfor.kernels.keys import Int64
from holdsfor.sources.fields import read_time
from holdsfor.sources.file_times import WITH_OFFSET, WITHOUT_OFFSET, FileTimes
from holdsfor.sources.numerals import fields_of, read_integers, whole_numbers
from holdsfor.syntax.durations import is_time_zone
from holdsfor.syntax.time_points import OPEN_END

__all__ = ["Clock", "FinerTime", "Unit", "is_time_type"]

Unit = Literal["s", "ms", "us"]
Flags = NDArray[np.bool_]

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_YEARS: dict[int, tuple[int, int]] = {9998: (-62135596800, 253370764800), 9999: (-62135596800, 253402300800)}
"""The seconds since 1970 at which the year 1 begins and a last year ends."""
_DIGITS: dict[int, Unit] = {0: "ms", 1: "ms", 2: "ms", 3: "ms", 4: "us", 5: "us", 6: "us"}
"""The unit that fits fractions of a second, by the number of their digits."""


class FinerTime(str):
    """The fault of a time that is finer than a second in a run whose unit is not given; `unit` fits the time."""

    unit: Unit

    def __new__(cls, fault: str, unit: Unit) -> FinerTime:
        made = super().__new__(cls, fault)
        made.unit = unit
        return made

    def refuse(self, others: Iterable[FinerTime], place: str) -> NoReturn:
        """Refuse a run with the unit that fits this time of a place and the others (HF716)."""
        unit = max((self.unit, *(each.unit for each in others)), key=_PER_SECOND.__getitem__)
        what = "`{}` is the unit that fits; with `{}`, such records are set aside"
        hint = Hint(
            what.format(f'time_unit="{unit}"', 'time_unit="s"'),
            on_command_line=what.format(f"--time-unit {unit}", "--time-unit s"),
        )
        raise UsageProblem(Diagnostic("HF716", str(self), hint=hint, file=place))


def is_time_type(kind: Any) -> bool:
    """Whether a column of an Arrow type can hold times."""
    is_text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_null(kind)
    is_whole = pt.is_integer(kind) and not pt.is_uint64(kind)
    return is_text or is_whole or pt.is_floating(kind) or pt.is_timestamp(kind) or pt.is_date32(kind)


class Clock:
    """Converts the times of a run to time-points. A unit that is not given, None, is a second.

    >>> Clock().read("1970-01-01T01:00:00+01:00"), Clock("ms").read("1970-01-02"), Clock().read("-5")
    (0, 86400000, -5)
    """

    def __init__(self, unit: Unit | None = "s", *, has_offset: bool | None = None, zone: str | None = None) -> None:
        assert unit is None or unit in get_args(Unit), unit
        self.given_unit = unit
        self.unit: Unit = unit or "s"
        self.zone = zone
        self.are_arguments = False  # whether only arguments have been dates and times so far, and no time of a record
        self.has_offset = has_offset  # whether the first time that is not an integer has an offset
        self.columns: set[tuple[str | None, str | None]] = set()
        """The units and zones of the columns with times of records; a column of texts has no unit, and UTC."""
        self._has_read_moments = False
        self._last_year = 9999

    @property
    def time_type(self) -> TimeType | None:
        """The type of the times of results: None if all times so far are integers.

        >>> clock = Clock("ms")
        >>> _ = clock.read("1970-01-02T00:00:00Z")
        >>> clock.time_type
        TimeType(unit='ms', zone='UTC')
        """
        if self.has_offset is None or self.are_arguments:
            return None
        finest = max({self.unit, *(unit for unit, _ in self.columns if unit)}, key=_PER_SECOND.__getitem__)
        return TimeType(self.unit, self.zone or self._common_zone, None if finest == self.unit else finest)  # type: ignore[arg-type]

    @property
    def _common_zone(self) -> str | None:
        """The zone of all columns of times, UTC if they differ; None for times without an offset."""
        if not self.has_offset:
            return None
        zones = {zone for _, zone in self.columns if zone is not None}
        common = zones.pop() if len(zones) == 1 else "UTC"
        return common if is_time_zone(common) else "UTC"

    def read(self, text: str) -> int | str:
        """The time-point of one text, or the error as a sentence."""
        times, faults = self.column(pa.array([text], pa.string()), "time")
        return faults[0] if faults else int(times[0].as_py())

    def column(
        self, array: Any, what: str, *, are_ends: bool = False, are_dates: bool | None = None
    ) -> tuple[Any, dict[int, str]]:
        """The time-points of a column as an Arrow array, and the errors of the rows without a time-point.

        Nulls stay nulls. The text `inf` is an end, but no other time. With `are_dates`, times of the other form are
        errors. Contract: the type of the column is a time type. O(n).
        """
        if pt.is_timestamp(array.type) or pt.is_date32(array.type):
            return self._of_timestamps(array)
        if pt.is_string(array.type) or pt.is_large_string(array.type):
            return self._of_texts(array, what, are_ends=are_ends, are_dates=are_dates)
        return _no_dates(array) if are_dates else (array.cast(pa.int64()), {})

    def argument_column(self, array: Any, what: str) -> tuple[Any, dict[int, str]]:
        """The time-points of a column of arguments, which do not decide the type of the times of results."""
        is_first = self.has_offset is None
        found = self.column(array, what)
        self.are_arguments |= is_first and self.has_offset is not None
        return found

    def length_column(self, array: Any, what: str) -> tuple[Any, dict[int, str]]:
        """The numbers of time-points of a column of integers, texts or durations, and the errors of the rows."""
        if pt.is_duration(array.type):
            values: Int64 = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
            lengths, is_whole = _rescaled(values, _PER_SECOND[array.type.unit], _PER_SECOND[self.unit])
            there = array.is_valid().to_numpy(zero_copy_only=False)
            wrong = np.flatnonzero(there & ~is_whole).tolist()
            fault = f"the length in {what} is not a whole number of units of time: the unit is `{self.unit}`"
            return pa.array(lengths, mask=~there | ~is_whole), dict.fromkeys(wrong, fault)
        return self.column(array, what, are_dates=False)

    def record_column(self, array: Any, what: str, role: str, file_times: FileTimes) -> tuple[Any, dict[int, str]]:
        """The time-points of a column of times of records, the `start`, `end` or `arrival` of a file."""
        file_times.note(array, is_start=role == "start")
        had_offset, self.has_offset = self.has_offset, None if self.are_arguments else self.has_offset
        self._has_read_moments, self._last_year = False, 9999 if role == "end" else 9998
        found = self.column(array, what, are_ends=role == "end", are_dates=file_times.expected(array))
        self._last_year = 9999
        if pt.is_timestamp(array.type):
            self.columns.add((array.type.unit, array.type.tz))
        elif self._has_read_moments:
            self.columns.add((None, "UTC"))
        if self.are_arguments and self.has_offset is None:
            self.has_offset = had_offset
        else:
            self.are_arguments = False
        return found

    def _of_timestamps(self, array: Any) -> tuple[Any, dict[int, str]]:
        if pt.is_date32(array.type):
            array = array.cast(pa.timestamp("s"))
        values: Int64 = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        there = array.is_valid().to_numpy(zero_copy_only=False)
        has_offset = np.full(len(array), array.type.tz is not None)
        is_comparable = self._are_comparable(has_offset, there)
        is_written = self._are_in_years(values, _PER_SECOND[array.type.unit])
        values = np.where(is_written, values, 0)
        if self.zone is not None and array.type.tz is None:
            values, is_local = _localised(values, array.type.unit, self.zone)
            is_comparable = is_comparable & is_local
        times, is_whole = _rescaled(values, _PER_SECOND[array.type.unit], _PER_SECOND[self.unit])
        is_whole &= is_written
        wrong = np.flatnonzero(there & ~(is_comparable & is_whole))
        odd = array.take(pa.array(wrong))
        odd = odd if array.type.tz is None else odd.cast(pa.timestamp(array.type.unit, "UTC"))
        faults = {
            row: self._fault_of_moment(text)
            if is_comparable[row]
            else self._fault(re.sub(r"(\.\d{6})\d+", r"\1", text), "time")
            for row, text in zip(wrong.tolist(), odd.cast(pa.string()).to_pylist(), strict=True)
        }
        is_read = there.copy()
        is_read[wrong] = False
        return pa.array(times, mask=~is_read), faults

    def _of_texts(self, array: Any, what: str, *, are_ends: bool, are_dates: bool | None) -> tuple[Any, dict[int, str]]:
        whole = whole_numbers(array) if array.null_count == 0 else None
        if whole is not None:
            return _no_dates(array) if are_dates else (pa.array(whole), {})
        there = array.is_valid().to_numpy(zero_copy_only=False)
        fields = fields_of(array)
        times, is_read = read_integers(fields.text, fields.starts, fields.ends)
        is_read &= there
        if are_dates:
            is_read[:] = False
        rest = np.flatnonzero(there & ~is_read)
        faults: dict[int, str] = {}
        if len(rest):
            texts = array.take(pa.array(rest))
            if are_dates is not False:
                times[rest], is_read[rest] = self._of_moments(texts)
            for i in np.flatnonzero(~is_read[rest]).tolist():
                row = int(rest[i])
                time = self._of_odd_text(texts[i].as_py(), what, are_ends=are_ends, are_dates=are_dates)
                if isinstance(time, str):
                    faults[row] = time
                else:
                    times[row], is_read[row] = time, True
        return pa.array(times, mask=~is_read), faults

    def _of_odd_text(self, text: str, what: str, *, are_ends: bool, are_dates: bool | None) -> int | str:
        """The time-point of a text with blanks around it, of 19 digits or of the end `inf`, or the error."""
        if are_ends and text.strip() == "inf":
            return OPEN_END
        if text != text.strip():
            times, faults = self._of_texts(pa.array([text.strip()]), what, are_ends=are_ends, are_dates=are_dates)
            return faults[0] if faults else int(times[0].as_py())
        time = read_time(text)
        if are_dates and time is not None:
            return _not_a_date(text)
        return self._fault(text, what, are_dates=are_dates) if time is None else time

    def _of_moments(self, texts: Any) -> tuple[Int64, Flags]:
        """The time-points of texts in ISO 8601, and which texts are valid."""
        with_offset = pc.match_substring_regex(texts, WITH_OFFSET).to_numpy(zero_copy_only=False)
        is_moment = with_offset
        if not with_offset.all():
            is_moment = with_offset | pc.match_substring_regex(texts, WITHOUT_OFFSET).to_numpy(zero_copy_only=False)
        is_moment = is_moment & _are_days(pc.utf8_slice_codeunits(texts, 0, 10))
        is_moment &= self._are_comparable(with_offset, is_moment)
        chosen = np.flatnonzero(is_moment)
        self._has_read_moments |= len(chosen) > 0
        moments, is_local = self._instants(texts.take(pa.array(chosen)), with_offset[chosen])
        values, is_whole = _rescaled(moments, _PER_SECOND["us"], _PER_SECOND[self.unit])
        is_whole &= self._are_in_years(moments, _PER_SECOND["us"])
        times = np.zeros(len(texts), np.int64)
        times[chosen], is_moment[chosen] = values, is_whole & is_local
        return times, is_moment

    def _instants(self, texts: Any, with_offset: Flags) -> tuple[Int64, Flags]:
        """Microseconds since 1970, and which times exist exactly once in the time zone."""
        if self.zone is None or with_offset.all():
            moments = texts.cast(pa.timestamp("us", "UTC" if self.has_offset else None))
            return moments.cast(pa.int64()).to_numpy(), np.ones(len(texts), np.bool_)
        found, exists = np.zeros(len(texts), np.int64), np.ones(len(texts), np.bool_)
        there, local = np.flatnonzero(with_offset), np.flatnonzero(~with_offset)
        found[there] = texts.take(pa.array(there)).cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
        naive = texts.take(pa.array(local)).cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
        found[local], exists[local] = _localised(naive, "us", self.zone)
        return found, exists

    def _are_in_years(self, times: Int64, per_second: int) -> Flags:
        """Which times are in the years that can be written."""
        first, end = _YEARS[self._last_year]
        seconds = times // per_second
        are_in: Flags = (seconds >= first) & (seconds < end)
        return are_in

    def _are_comparable(self, has_offset: Flags, which: Flags) -> Flags:
        """Which times agree with the first time of the run in having an offset or not."""
        if self.zone is not None:
            self.has_offset = True if which.any() else self.has_offset
            return np.ones(len(has_offset), np.bool_)
        if self.has_offset is None and which.any():
            self.has_offset = bool(has_offset[np.argmax(which)])
        are_comparable: Flags = has_offset == self.has_offset
        return are_comparable

    def _fault(self, text: str, what: str, *, are_dates: bool | None = None) -> str:
        has_offset = re.search(WITH_OFFSET, text, re.ASCII) is not None
        if not has_offset and not re.search(WITHOUT_OFFSET, text, re.ASCII):
            return f"expected an integer or a time such as `2026-03-01T08:00:00Z` as {what}, found `{text}`"
        if are_dates is False:
            return f"the time `{text}` is a date, and others are integers"
        if not _is_day(text[:10]):
            return f"`{text[:10]}` is not a date"
        if self.zone is not None and not has_offset:
            naive = pa.array([text]).cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
            if not _localised(naive, "us", self.zone)[1][0]:
                return f"the time `{text}` does not exist in the time zone `{self.zone}`, or exists twice"
        elif self.zone is None and has_offset != self.has_offset:
            first, others = ("an", "none") if has_offset else ("no", "one")
            return f"the time `{text}` has {first} offset from UTC, and others have {others}"
        return self._fault_of_moment(text)

    def _fault_of_moment(self, text: str) -> str:
        """The fault of a date and time that is out of range, or not a whole number of units."""
        digits = re.search(r"\.(\d*[1-9])", text)
        unit = _DIGITS.get(len(digits[1]) if digits else 0)
        if digits is None or (unit is not None and _PER_SECOND[unit] <= _PER_SECOND[self.unit]):
            return f"the time `{text}` is not in the years 1 to {self._last_year}"
        fault = f"the time `{text}` falls between two time-points: the unit of time is `{self.unit}`"
        if unit is None:
            return f"{fault}, and the finest is `us`"
        return FinerTime(fault, unit) if self.given_unit is None else f"{fault}, and `{unit}` fits"


def _no_dates(array: Any) -> tuple[Any, dict[int, str]]:
    """A column of integers among dates: no time-points, and an error for each of them."""
    faults = {row: _not_a_date(str(value)) for row, value in enumerate(array.to_pylist()) if value is not None}
    return pa.nulls(len(array), pa.int64()), faults


def _not_a_date(text: str) -> str:
    return f"the time `{text}` is an integer, and others are dates"


def _rescaled(values: Int64, per_second: int, wanted: int) -> tuple[Int64, Flags]:
    """Times in another unit, and which of them are whole numbers of units."""
    if wanted >= per_second:
        return values * (wanted // per_second), np.ones(len(values), np.bool_)
    times, rest = np.divmod(values, per_second // wanted)
    return times, rest == 0


def _localised(times: Int64, unit: str, zone: str) -> tuple[Int64, Flags]:
    """Local times as times in UTC, and which of them exist exactly once."""
    local = pa.array(times).cast(pa.timestamp(unit))
    first, last = (
        pc.assume_timezone(local, zone, ambiguous=choice, nonexistent=choice).cast(pa.int64()).to_numpy()
        for choice in ("earliest", "latest")
    )
    return first, first == last


def _are_days(texts: Any) -> Flags:
    """Which texts begin with a day of the calendar; each distinct text is checked once."""
    encoded = texts.dictionary_encode()
    are_days = np.array([_is_day(text) for text in encoded.dictionary.to_pylist()], np.bool_)
    found: Flags = are_days[encoded.indices.to_numpy(zero_copy_only=False)]
    return found


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False
