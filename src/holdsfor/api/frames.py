"""Arrow tables as frames of pandas, with nullable integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]

__all__ = ["as_pandas"]


def as_pandas(table: Any) -> pd.DataFrame:
    """The table as a frame; a column of integers with nulls is `Int64`, not float."""
    import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import pyarrow as pa  # type: ignore[import-untyped]

    frame = table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    whole = [name for name, column in frame.items() if column.dtype == pd.Int64Dtype() and name != "end"]
    return frame.astype(dict.fromkeys(whole, "int64"))
