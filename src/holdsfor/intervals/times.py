"""Times of the caller as int64 and back: integers, dates and timestamps, from NumPy and from Arrow.

Kernels work on integers only, with `OPEN` for the end of an open interval. `Kind` is the caller's type of the times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN

__all__ = ["SAME_KIND", "Kind", "flat", "is_arrow", "refuse", "span_of"]

_OPEN_HINT = "times are integers, dates or timestamps; `holdsfor.intervals.OPEN` is the end of an open interval"


SAME_KIND = "convert them to one type and unit first"


def refuse(message: str, hint: str | None = None) -> UsageProblem:
    """The error that intervals do not have the required form."""
    return UsageProblem(Diagnostic("HF760", message, hint=hint))


def is_arrow(column: object) -> bool:
    """Whether a column is an Arrow object."""
    return not isinstance(column, np.ndarray) and (
        hasattr(column, "__arrow_c_array__") or hasattr(column, "__arrow_c_stream__")
    )


def flat(column: Any) -> NDArray[Any]:
    """A column as an array of NumPy, of one dimension."""
    array = np.asarray(column)
    if array.ndim != 1:
        raise refuse(f"expected columns of one dimension, found one of {array.ndim}")
    is_empty_list = len(array) == 0 and array.dtype == np.float64
    return array.astype(np.int64) if is_empty_list else array


@dataclass(frozen=True)
class Kind:
    """The caller's type of times: integers, or dates or timestamps of an Arrow type or a NumPy unit."""

    kind: Any = None

    def __str__(self) -> str:
        return "integers" if self.kind is None else str(self.kind)

    def to_numpy(self, times: Int64) -> NDArray[Any]:
        """The times as an array; an open end is `OPEN` or `NaT`."""
        if self.kind is None:
            return times
        return np.where(times == OPEN, np.iinfo(np.int64).min, times).view(self.kind)

    def to_arrow(self, times: Int64) -> Any:
        """The times as an Arrow array; an open end is null."""
        array = pa.array(times, mask=times == OPEN)
        if self.kind is None:
            return array
        return array.cast(pa.int32()).cast(self.kind) if pt.is_date32(self.kind) else array.cast(self.kind)

    def integer(self, time: Any) -> int:
        """One time of this kind as an integer."""
        if self.kind is None:
            if isinstance(time, int | np.integer) and -OPEN <= time <= OPEN:
                return int(time)
            raise refuse(f"expected an integer of 64 bits as time, found `{time}`")
        try:
            if isinstance(self.kind, np.dtype):
                return int(np.datetime64(time).astype(self.kind).astype(np.int64))
            return int(_to_integers(pa.array([time], self.kind), "time")[0])
        except (ValueError, TypeError, pa.ArrowException):
            raise refuse(f"expected a time of kind {self.kind}, found `{time}`") from None


def _kind_of(column: Any, what: str) -> Kind:
    """The kind of times in a column."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "iu":
            return Kind()
        if column.dtype.kind == "M" and np.datetime_data(column.dtype)[0] != "generic":
            return Kind(column.dtype)
        raise refuse(f"expected times as {what}, found an array of {column.dtype}", _OPEN_HINT)
    if pt.is_integer(column.type):
        return Kind()
    if pt.is_timestamp(column.type) or pt.is_date(column.type):
        return Kind(column.type)
    if pt.is_null(column.type):
        return Kind()
    raise refuse(f"expected times as {what}, found {column.type}", _OPEN_HINT)


def _to_integers(column: Any, what: str, *, may_be_open: bool = False) -> Int64:
    """The times of a column as int64. A missing time is an open end, or an error unless `may_be_open`."""
    times, is_missing = _from_numpy(column, what) if isinstance(column, np.ndarray) else _from_arrow(column, what)
    if not is_missing.any():
        return times
    if may_be_open:
        return np.where(is_missing, OPEN, times)
    row = int(np.flatnonzero(is_missing)[0])
    raise refuse(
        f"expected a time as {what} of row {row}, found nothing", "only an end may be missing, for an open interval"
    )


def _from_numpy(column: NDArray[Any], what: str) -> tuple[Int64, NDArray[np.bool_]]:
    if column.dtype.kind == "M":
        return column.view(np.int64), np.isnat(column)
    if column.dtype == np.uint64 and len(column) and column.max() > OPEN:
        raise refuse(f"expected a time of 63 bits as {what}, found {column.max()}")
    return column.astype(np.int64, copy=False), np.zeros(len(column), dtype=bool)


def _from_arrow(column: Any, what: str) -> tuple[Int64, NDArray[np.bool_]]:
    is_missing = column.is_null().to_numpy(zero_copy_only=False)
    if pt.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64), is_missing
    try:
        narrow = column.cast(pa.int32()) if pt.is_date32(column.type) else column
        times = narrow.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise refuse(f"expected times as {what}: {str(error).splitlines()[0].lower()}") from None
    return times, is_missing


def span_of(starts: Any, ends: Any, which: str) -> tuple[Int64, Int64, Kind]:
    """Starts and ends as int64, with their kind; each interval must end after it begins."""
    if len(starts) != len(ends):
        raise refuse(f"expected as many ends as starts {which}, found {len(ends)} and {len(starts)}")
    kind, end_kind = _kind_of(starts, f"starts {which}"), _kind_of(ends, f"ends {which}")
    has_no_end = not isinstance(ends, np.ndarray) and pt.is_null(ends.type)
    if kind != end_kind and not has_no_end:
        raise refuse(f"expected starts and ends {which} of one kind, found {kind} and {end_kind}", SAME_KIND)
    begins = _to_integers(starts, f"start {which}")
    stops = _to_integers(ends, f"end {which}", may_be_open=True)
    empty = np.flatnonzero(begins >= stops)
    if len(empty):
        row = int(empty[0])
        message = f"row {row} {which} ends at {ends[row]}, not after its start {starts[row]}"
        raise UsageProblem(
            Diagnostic("HF761", message, hint=_other_rows(len(empty)) or "intervals are right-open: [start, end)")
        )
    return begins, stops, kind


def _other_rows(n: int) -> str | None:
    return f"{n - 1:,} other row{'s' if n > 2 else ''} too" if n > 1 else None
