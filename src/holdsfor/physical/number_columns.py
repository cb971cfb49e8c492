"""Columns with the numbers of instances: how they are named after the variables whose words they stand for."""

from __future__ import annotations

__all__ = ["number_column_of", "numbered_variables"]


def number_column_of(names: tuple[str, ...]) -> str:
    """The name of the column that has the numbers of the instances of some variables."""
    return f"#{','.join(names)}"


def numbered_variables(column: str) -> tuple[str, ...]:
    """The variables whose instances a column numbers; none if it is the column of a variable."""
    return tuple(column[1:].split(",")) if column.startswith("#") else ()
