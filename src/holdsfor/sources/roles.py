"""Columns of a table that are those of records under other names: `{"type": "name", "ts": "start", "vessel": "arg1"}`.

Columns that are not named are left alone. For a table whose rows are all records of one name, a description such as
`happensAt(speed(vessel, knots), ts)` says more (`holdsfor.sources.mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdsfor.errors import DataProblem, Diagnostic, did_you_mean
from holdsfor.sources.rows import is_argument

__all__ = ["columns_by_role"]

_ROLES = ("name", "start", "end", "arrival", "value", "op")
_HINT = "the columns of records are name, start, end, arrival, value, op, arg1, arg2 and so on"


def columns_by_role(named: Mapping[str, str], found: Sequence[str]) -> dict[str, str]:
    """For each column of records the column of the table that is it; HF505 if that cannot be.

    >>> columns_by_role({"ts": "start", "type": "name"}, ["type", "ts", "other"])
    {'start': 'ts', 'name': 'type'}
    """
    columns: dict[str, str] = {}
    for column, role in named.items():
        role = "start" if role == "time" else role
        if column not in found:
            hint = did_you_mean(column, found) or f"its columns are {', '.join(f'`{name}`' for name in found)}"
            raise _problem(f"column `{column}` not found in the table", hint)
        if role not in _ROLES and not is_argument(role):
            raise _problem(f"column `{column}` is to be `{role}`, which records do not have", _HINT)
        if role in columns:
            raise _problem(f"columns `{columns[role]}` and `{column}` are both to be `{role}`", _HINT)
        columns[role] = column
    return columns


def _problem(message: str, hint: str) -> DataProblem:
    return DataProblem(Diagnostic("HF505", message, hint=hint))
