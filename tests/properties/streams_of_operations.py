"""Random insertions and retractions between query times: late, early, duplicate, revised and retracted records."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.properties.programs import Case

__all__ = ["Operations", "operations_of"]


@dataclass
class Operations:
    """The lines that are inserted before each query time, in order; `kinds` are the kinds of operations among them."""

    before: dict[int, list[str]]
    kinds: set[str] = field(default_factory=set)


def operations_of(case: Case, queries: list[int], chance: random.Random) -> Operations:
    """The records of a case with random arrivals, and random corrections of them."""
    found = Operations({at: [] for at in queries})
    lines = [text for _, text in case.records if int(text.split("|")[2]) <= case.end]
    chance.shuffle(lines)
    for line in lines:
        for at, kind, each in _with_corrections(line, case.tick, queries, chance):
            found.before[queries[min(at, len(queries) - 1)]].append(each)
            found.kinds.add(kind)
    return found


def _with_corrections(
    line: str, tick: int, queries: list[int], chance: random.Random
) -> Iterator[tuple[int, str, str]]:
    """The operations of a record: the number of the query time that sees each, its kind, and its line."""
    name, _, start, *fields = line.split("|")
    own = next((i for i, at in enumerate(queries) if int(start) <= at), 0)
    seen = max(0, own + chance.choice([-2, 0, 0, 0, 1, 2]))
    kind = "early" if seen < own else "late" if seen > own else "on time"
    yield seen, kind, _line("", name, queries[min(seen, len(queries) - 1)], start, fields)
    later = seen + chance.choice([0, 1, 2])
    arrival = queries[min(later, len(queries) - 1)]
    draw = chance.random()
    if draw < 0.15:
        yield later, "duplicate", _line("", name, arrival, start, fields)
    elif draw < 0.3:
        yield later, "retracted", _line("-", name, arrival, start, fields)
        if chance.random() < 0.3:
            yield later, "inserted again", _line("", name, arrival, start, fields)
    elif draw < 0.45:
        shifted, moved = _moved(name, int(start), fields, chance.choice([-2, -1, 1, 3]) * tick)
        yield later, "revised", _line("-", name, arrival, start, fields)
        yield later, "revised", _line("", name, arrival, shifted, moved)
    elif draw < 0.6 and name == "jf" and int(fields[0]) - int(start) > tick:
        left, right = chance.choice([(tick, 0), (0, tick), (tick, tick)])
        first, last = int(start) + left, int(fields[0]) - right
        if first < last:
            yield later, "part retracted", _line("-", name, arrival, str(first), [str(last), *fields[1:]])
    elif draw < 0.65:
        shifted, moved = _moved(name, int(start), fields, 1000 * tick)
        yield later, "unmatched", _line("-", name, arrival, shifted, moved)


def _moved(name: str, start: int, fields: list[str], shift: int) -> tuple[str, list[str]]:
    """The start and the other fields of a record at another time."""
    rest = [str(int(fields[0]) + shift), *fields[1:]] if name == "jf" else fields
    return str(start + shift), rest


def _line(sign: str, name: str, arrival: int, start: str, fields: list[str]) -> str:
    return "|".join([f"{sign}{name}", str(arrival), start, *fields])
