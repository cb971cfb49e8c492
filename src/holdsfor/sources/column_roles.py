"""The roles of a table's columns as columns of records: `{"type": "name", "ts": "start", "vessel": "arg1"}`.

A role may end with the kind of the column: `arg2:number`. Columns without a role are ignored. For a table whose rows
are all records of one name, a description such as `happensAt(speed(vessel, knots), ts)` is more expressive
(`holdsfor.sources.column_mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdsfor.errors import DataProblem, Diagnostic, did_you_mean
from holdsfor.sources.column_kinds import split_kind
from holdsfor.sources.table_layout import is_argument

__all__ = ["columns_by_role"]

_ROLES = ("name", "start", "end", "arrival", "value", "op", "revision")
_HINT = "the columns of records are name, start, end, arrival, value, op, revision, arg1, arg2 and so on"


def columns_by_role(named: Mapping[str, str], found: Sequence[str]) -> dict[str, str]:
    """For each column of records the column of the table with that role; HF505 for missing columns or wrong roles.

    >>> columns_by_role({"ts": "start", "type": "name"}, ["type", "ts", "other"])
    {'start': 'ts', 'name': 'type'}
    """
    columns: dict[str, str] = {}
    roles: dict[str, str] = {}
    for column, written in named.items():
        if not (isinstance(column, str) and isinstance(written, str)):
            raise _problem(f"expected a column and its role as text, found `{column!r}: {written!r}`", _HINT)
        role, kind = split_kind(written)
        role = "start" if role == "time" else role
        if column not in found:
            hint = did_you_mean(column, found) or f"its columns are {', '.join(f'`{name}`' for name in found)}"
            raise _problem(f"column `{column}` not found in the table", hint)
        has_kind = role == "value" or is_argument(role)
        if (role not in _ROLES and not is_argument(role)) or (kind is not None and not has_kind):
            raise _problem(f"column `{column}` has the role `{written}`, which is not a column of records", _HINT)
        if role in roles:
            raise _problem(f"columns `{roles[role]}` and `{column}` both have the role `{role}`", _HINT)
        roles[role] = columns[role if kind is None else written] = column
    return columns


def _problem(message: str, hint: str) -> DataProblem:
    return DataProblem(Diagnostic("HF505", message, hint=hint))
