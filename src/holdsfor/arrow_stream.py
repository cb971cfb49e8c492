"""Tables of any library, by the protocol that Arrow tables and the frames of pandas and polars have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

__all__ = ["ArrowBatches", "ArrowStream"]


class ArrowStream(Protocol):
    """A table that exports itself as a stream of Arrow record batches.

    >>> import pyarrow as pa
    >>> hasattr(pa.table({"start": [1]}), "__arrow_c_stream__")
    True
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowBatches(Protocol):
    """A table that is read in record batches: a dataset or a scanner of Arrow.

    >>> import pyarrow as pa, pyarrow.dataset as ds
    >>> [len(batch) for batch in ds.dataset(pa.table({"start": [1, 2]})).to_batches()]
    [2]
    """

    def to_batches(self) -> Iterator[Any]: ...
