"""Times of tables: integers, or timestamps with a unit and a time zone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from holdsfor.errors import DataProblem, Diagnostic

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa  # type: ignore[import-untyped]
    from numpy.typing import NDArray

    from holdsfor.kernels.keys import Int64

__all__ = ["TimeType", "time_column"]


@dataclass(frozen=True)
class TimeType:
    """Timestamps that count units since 1970 in UTC; without a zone they are local times without an offset.

    `unit` is the length of a time-point. Tables have a finer `column_unit` if columns of the input have it.
    """

    unit: Literal["s", "ms", "us"]
    zone: str | None = None
    column_unit: Literal["ms", "us", "ns"] | None = field(default=None, repr=False)

    @property
    def arrow(self) -> pa.DataType:
        """The type of a column of timestamps."""
        import pyarrow as pa

        return pa.timestamp(self.column_unit or self.unit, self.zone)

    def column(self, times: pa.Array) -> pa.Array:
        """Time-points as timestamps; HF731 if the unit of the column cannot represent one of them."""
        import pyarrow as pa

        try:
            return times.cast(pa.timestamp(self.unit, self.zone)).cast(self.arrow)
        except pa.ArrowInvalid:
            message = f"a result is outside the years that timestamps in `{self.arrow.unit}` can represent"
            hint = "choose integers as times, or read the input with timestamps of another unit"
            raise DataProblem(Diagnostic("HF731", message, hint=hint)) from None

    def time_points(self, column: pa.Array) -> pa.Array:
        """Timestamps of any unit as time-points, the inverse of `column`."""
        import pyarrow as pa

        return column.cast(pa.timestamp(self.unit, column.type.tz)).cast(pa.int64())


def time_column(times: Int64, kind: TimeType | None, mask: NDArray[np.bool_] | None = None) -> pa.Array:
    """Time-points as a column: integers, or timestamps of a type. Open ends and masked times are null.

    >>> import numpy as np
    >>> from holdsfor.kernels.packing import OPEN
    >>> time_column(np.array([0, OPEN]), None).to_pylist()
    [0, None]
    >>> time_column(np.array([0]), TimeType("s", "UTC")).type
    TimestampType(timestamp[s, tz=UTC])
    """
    import pyarrow as pa

    from holdsfor.kernels.packing import OPEN

    is_open = times == OPEN
    found = pa.array(times, mask=is_open if mask is None else is_open | mask)
    return found if kind is None else kind.column(found)
