"""Times of tables: integers, or timestamps with a unit and a time zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa  # type: ignore[import-untyped]
    from numpy.typing import NDArray

    from holdsfor.kernels.keys import Int64

__all__ = ["TimeType", "time_column"]


@dataclass(frozen=True)
class TimeType:
    """Timestamps that count units since 1970 in UTC; without a zone they are local times without an offset."""

    unit: Literal["s", "ms", "us"]
    zone: str | None = None

    @property
    def arrow(self) -> pa.DataType:
        import pyarrow as pa

        return pa.timestamp(self.unit, self.zone)


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
    return found if kind is None else found.cast(kind.arrow)
