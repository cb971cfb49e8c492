"""Values of dataclasses in the JSON files of a checkpoint, with the types of their fields.

The files are small and written by this package. A file that was edited or damaged must be refused where it is read: a
number that is a text would fail somewhere else, with an error that does not name the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = ["value_of"]

Value = TypeVar("Value")


def value_of(kind: type[Value], found: Any) -> Value:
    """A dataclass with the fields that JSON has; TypeError if they are others, or of another type.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Pace:
    ...     step: int
    ...     idle: tuple[str, ...] = ()
    >>> value_of(Pace, {"step": 10, "idle": ["east"]})
    Pace(step=10, idle=('east',))
    >>> value_of(Pace, {"step": "10"})
    Traceback (most recent call last):
    ...
    TypeError: expected int for `step`, found '10'
    """
    types = get_type_hints(kind)
    given = {name: _typed(types[name], value, name) if name in types else value for name, value in found.items()}
    return kind(**given)


def _typed(kind: Any, value: Any, name: str) -> Any:
    """A value of a type; JSON has lists for tuples, and objects for dataclasses."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if value is None and NoneType in inner else _typed(inner[0], value, name)
    if origin is tuple and isinstance(value, list):
        return tuple(_typed(inner[0], each, name) for each in value)
    if origin is list and isinstance(value, list):
        return [_typed(inner[0], each, name) for each in value]
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {key: _typed(inner[1], each, name) for key, each in value.items()}
    if hasattr(kind, "__dataclass_fields__") and isinstance(value, dict):
        return value_of(kind, value)
    if kind is float and type(value) is int:
        return float(value)
    if get_origin(kind) is None and isinstance(kind, type) and type(value) is kind:
        return value
    if inner and origin is not None and value in inner:  # one of some texts
        return value
    raise TypeError(f"expected {getattr(kind, '__name__', kind)} for `{name}`, found {value!r}")
