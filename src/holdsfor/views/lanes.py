"""The lanes of a timeline: which rows share a line, and which lines form a group.

A fluent has at most one value at a time, so all values of a fluent with its arguments share a lane. Lanes are grouped
by fluent, or by an argument: then a group has everything that is known of one entity. A fluent of two entities, such as
`rendezVous(v1,v2)` with the columns `vessel_1` and `vessel_2`, is in the groups of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.views.labels import natural_order
from holdsfor.views.timeline_rows import Row, grouped

__all__ = ["FLUENT", "Group", "Lane", "check_grouping", "groups_by", "is_column_of"]

FLUENT = "fluent"


@dataclass(frozen=True)
class Lane:
    """A line of the picture: the rows of one fluent with its arguments, or of one event."""

    label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Group:
    """Lanes of one fluent or of one entity. Groups by fluent have no heading: their labels name the fluent."""

    heading: str
    lanes: tuple[Lane, ...]


def groups_by(rows: Sequence[Row], by: str = FLUENT) -> list[Group]:
    """The rows in lanes and groups, by `fluent`, by the name of an argument, or by its position.

    >>> rows = [Row("at", ("ann",), "pub", [(1, 3)]), Row("at", ("ann",), "home", [(3, 9)]), Row("at", ("bo",), "pub")]
    >>> [lane.label for lane in groups_by(rows)[0].lanes]
    ['at(ann)', 'at(bo)=pub']
    >>> [(group.heading, [lane.label for lane in group.lanes]) for group in groups_by(rows, "1")]
    [('ann', ['at']), ('bo', ['at=pub'])]
    """
    if by == FLUENT:
        return [Group("", tuple(_lanes((row, row.instance) for row in group))) for group in grouped(rows)]
    entities: dict[str, list[tuple[Row, str]]] = {}
    others: list[tuple[Row, str]] = []
    for row in (row for group in grouped(rows) for row in group):
        places = _places(row, by)
        for place in places:
            entities.setdefault(row.arguments[place], []).append((row, _without(row, place)))
        if not places:
            others.append((row, row.instance))
    if rows and not entities:
        check_grouping(by, [row.columns for row in rows], max(len(row.arguments) for row in rows))
    groups = [Group(entity, tuple(_lanes(entities[entity]))) for entity in sorted(entities, key=natural_order)]
    return [*groups, Group("", tuple(_lanes(others)))] if others else groups


def _places(row: Row, by: str) -> list[int]:
    """The arguments of a row that `by` names: one by its position, or all by their column, each entity once."""
    if by.isdecimal():
        return [int(by) - 1] if 1 <= int(by) <= len(row.arguments) else []
    places = {row.arguments[place]: place for place, column in enumerate(row.columns) if is_column_of(by, column)}
    return list(places.values())


def is_column_of(by: str, column: str) -> bool:
    """Whether `by` means a column: by its name, in any case of letters, or without its number.

    >>> is_column_of("vessel", "vessel_2"), is_column_of("Vessel", "vessel"), is_column_of("vessel", "vessels")
    (True, True, False)
    """
    return re.fullmatch(rf"{re.escape(by)}(_?\d+)?", column, re.IGNORECASE) is not None


def _without(row: Row, place: int) -> str:
    """The fluent or event with its other arguments."""
    if len(row.arguments) == 1:
        return row.name
    return f"{row.name}({','.join('_' if i == place else each for i, each in enumerate(row.arguments))})"


def _lanes(labelled: Iterable[tuple[Row, str]]) -> list[Lane]:
    """The rows with the same label in one lane, in several if values hold at once, as input values may."""
    together: dict[str, list[list[Row]]] = {}
    for row, label in labelled:
        lanes = together.setdefault(label, [])
        free = next((lane for lane in lanes if not any(_overlap(row, other) for other in lane)), None)
        if free is None:
            lanes.append([row])
        else:
            free.append(row)
    return [Lane(_label(label, rows), tuple(rows)) for label, lanes in together.items() for rows in lanes]


def _label(label: str, rows: Sequence[Row]) -> str:
    """The label of a lane, with the value if the lane has a single one that is not `true`."""
    value = rows[0].value
    return f"{label}={value}" if len(rows) == 1 and value not in (None, "true") else label


def _overlap(left: Row, right: Row) -> bool:
    """Whether two rows, each with sorted intervals, share a time-point; an event has a lane to itself."""
    if left.times or right.times:
        return True
    merged = sorted([*left.intervals, *right.intervals], key=lambda interval: interval[0])
    return any(end is None or end > later for (_, end), (later, _) in pairwise(merged))


def check_grouping(by: str, columns: Iterable[Sequence[str]], longest: int) -> None:
    """Refuse a name or position that no fluent or event has; `longest` is the largest number of arguments."""
    names = sorted({column for each in columns for column in each if column})
    positions = [str(place) for place in range(1, longest + 1)]
    if by in (FLUENT, *positions) or any(is_column_of(by, name) for name in names):
        return
    message = f"a timeline cannot be grouped by `{by}`: no argument has this name or position"
    hint = f"one of {', '.join(f'`{each}`' for each in [FLUENT, *names, *positions])}"
    raise UsageProblem(Diagnostic("HF756", message, hint=hint))
