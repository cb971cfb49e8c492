"""Delayed effects that are pending at the end of a run, counted by the fluent that they would change.

A run without a given end ends at its last record, so effects that are due later do not happen. A deadline that has
passed since then would be missed without a word: every engine counts these effects, and the outcome of a run has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Pending", "merged_pending", "pending_message"]


@dataclass(frozen=True)
class Pending:
    """The number of effects that are pending on a fluent (`order/1`), and the earliest time-point at which one is due.

    >>> Pending("order/1", 2, 59)
    Pending(fluent='order/1', n=2, first_due=59)
    """

    fluent: str
    n: int
    first_due: int


def merged_pending(parts: Iterable[Pending]) -> tuple[Pending, ...]:
    """The effects of several parts of a run, by fluent.

    >>> merged_pending([Pending("order/1", 2, 59), Pending("gap/1", 1, 7), Pending("order/1", 1, 58)])
    (Pending(fluent='gap/1', n=1, first_due=7), Pending(fluent='order/1', n=3, first_due=58))
    """
    found: dict[str, Pending] = {}
    for each in parts:
        known = found.get(each.fluent, Pending(each.fluent, 0, each.first_due))
        found[each.fluent] = Pending(each.fluent, known.n + each.n, min(known.first_due, each.first_due))
    return tuple(found[fluent] for fluent in sorted(found))


def pending_message(pending: Sequence[Pending], first_due: str) -> str:
    """The effects in one line, with the earliest due time as it is shown.

    >>> pending_message([Pending("gap/1", 1, 7), Pending("order/1", 1200, 58)], "7")
    '1,201 delayed effects pending at the end (`gap/1`: 1, `order/1`: 1,200), the first due at 7'
    """
    n = sum(each.n for each in pending)
    named = ", ".join(f"`{each.fluent}`: {each.n:,}" for each in pending)
    return f"{n:,} delayed effect{'s' if n != 1 else ''} pending at the end ({named}), the first due at {first_due}"
