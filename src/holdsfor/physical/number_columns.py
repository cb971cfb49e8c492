"""Columns with the numbers of instances, named after the variables whose words they replace."""

from __future__ import annotations

__all__ = ["number_column_of", "numbered_variables"]


def number_column_of(names: tuple[str, ...]) -> str:
    """The name of the column with the numbers of the instances of some variables."""
    return f"#{','.join(names)}"


def numbered_variables(column: str) -> tuple[str, ...]:
    """The variables whose instances a column numbers; empty for the column of a variable."""
    return tuple(column[1:].split(",")) if column.startswith("#") else ()
