"""Fields inside columns: `position.lat` is the field `lat` of the column `position`, unless a column has that name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

__all__ = ["field_path", "has_field", "nested_value", "outer_columns", "with_nested_columns"]


def field_path(name: str, columns: Iterable[str], has_field: Callable[[list[str]], bool]) -> list[str] | None:
    """The column and the fields inside it that a name with dots means; None for a column, or for nothing.

    >>> field_path("position.lat", ["position"], lambda path: path == ["position", "lat"])
    ['position', 'lat']
    """
    columns = set(columns)
    parts = name.split(".")
    if name in columns or len(parts) == 1:
        return None
    for n in range(len(parts) - 1, 0, -1):
        path = [".".join(parts[:n]), *parts[n:]]
        if path[0] in columns and has_field(path):
            return path
    return None


def with_nested_columns(table: Any, wanted: Iterable[str]) -> Any:
    """An Arrow table with a column for each wanted field inside a column. O(1) for each column."""
    names = table.schema.names
    for name in wanted:
        path = field_path(name, names, partial(has_field, table.schema))
        if path is not None:
            table = table.append_column(name, pc.struct_field(table.column(path[0]), path[1:]))
    return table


def outer_columns(schema: Any, wanted: Iterable[str]) -> list[str]:
    """The columns of a table that have the wanted columns and fields."""
    paths = [field_path(name, schema.names, partial(has_field, schema)) or [name] for name in wanted]
    return list(dict.fromkeys(path[0] for path in paths))


def has_field(schema: Any, path: list[str]) -> bool:
    """Whether the first name is a column of an Arrow schema, and the others are fields inside it."""
    kind = schema.field(path[0]).type
    for name in path[1:]:
        if not pt.is_struct(kind) or kind.get_field_index(name) < 0:
            return False
        kind = kind.field(name).type
    return True


def nested_value(found: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Whether an object has a field, and its value; the fields of null are null.

    >>> nested_value({"position": {"lat": 48.3}}, "position.lat"), nested_value({"position": None}, "position.lat")
    ((True, 48.3), (True, None))
    """
    path = field_path(name, found, lambda path: _walk(found, path)[0])
    return (False, None) if path is None else _walk(found, path)


def _walk(found: Any, path: list[str]) -> tuple[bool, Any]:
    for name in path:
        if found is None:
            return True, None
        if not isinstance(found, Mapping) or name not in found:
            return False, None
        found = found[name]
    return True, found
