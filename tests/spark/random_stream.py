"""A random stream of late, repeated and retracted records, and what one engine makes of them."""

from __future__ import annotations

import random
from typing import Any, TypeAlias

import holdsfor as hf
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.syntax.time_points import LATEST
from tests.properties.streamed import embedded_outcome

__all__ = [
    "RULES",
    "STEP",
    "WINDOW",
    "Change",
    "changes_of_rows",
    "expected_changes",
    "expected_results",
    "random_batches",
]

RULES = """
initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose(X), T).
initiatedAt(envied(Y)=true, T) :- happensAt(meet(X, Y), T), holdsAt(rich(X)=true, T).
terminatedAt(envied(Y)=true, T) :- happensAt(lose(Y), T).
"""
"""Rules of two stages, so that results go from the buckets of the first to those of the second."""

WINDOW, STEP = 20, 10

Change: TypeAlias = tuple[int, str, str, int, int | None]
"""A query time, `+` or `-`, an FVP, and the start and end of its interval."""


def random_batches(chance: random.Random, n_batches: int) -> list[list[str]]:
    """Micro-batches of late, repeated and retracted records, in the order of arrival."""
    lines: list[tuple[int, str]] = []
    for _ in range(12 * n_batches):
        start = chance.randint(0, 10 * n_batches)
        arrival = start + chance.choice([0, 0, 1, 8, 19, 40])
        one, other = chance.choices("abcdefg", k=2)
        record = chance.choice(
            [f"win|{{}}|{start}|{one}", f"lose|{{}}|{start}|{one}", f"meet|{{}}|{start}|{one}|{other}"]
        )
        lines.append((arrival, record.format(arrival)))
        if chance.random() < 0.1:
            lines.append((arrival + 5, "-" + record.format(arrival + 5)))
    ordered = [line for _, line in sorted(lines)]
    size = -(-len(ordered) // n_batches)
    return [ordered[i : i + size] for i in range(0, len(ordered), size)]


def expected_changes(batches: list[list[str]]) -> list[Change]:
    """The changes of one engine at the query times that the records make due, in order."""
    lines = [line for batch in batches for line in batch]
    last = (max(int(line.split("|")[1]) for line in lines) - 1) // STEP * STEP
    outcome = embedded_outcome(lines, hf.load_text(RULES), RunSchedule(0, LATEST, 1, WINDOW, STEP), last)
    found = [(at, op, fvp, *extent) for at, changes in outcome.changes.items() for op, fvp, extent in changes]
    return sorted(found, key=str)


def expected_results(batches: list[list[str]]) -> list[tuple[str, int, int | None]]:
    """The results that are known after all changes, in order."""
    known: set[tuple[str, int, int | None]] = set()
    changes = expected_changes(batches)
    for at in sorted({each[0] for each in changes}):
        known -= {each[2:] for each in changes if each[:2] == (at, "-")}
        known |= {each[2:] for each in changes if each[:2] == (at, "+")}
    return sorted(known, key=str)


def changes_of_rows(rows: list[Any]) -> list[Change]:
    """The rows of a feed of changes, as dictionaries, in order."""
    found = [(row["query_time"], row["op"], row["fvp"], row["start"], row.get("end")) for row in rows]
    return sorted(found, key=str)
