"""Tables of any library, by the protocol that Arrow tables and the frames of pandas and polars have in common."""

from __future__ import annotations

from typing import Protocol

__all__ = ["ArrowStream"]


class ArrowStream(Protocol):
    """A table that exports itself as a stream of Arrow record batches.

    >>> import pyarrow as pa
    >>> hasattr(pa.table({"start": [1]}), "__arrow_c_stream__")
    True
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
