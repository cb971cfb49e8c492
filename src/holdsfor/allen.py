"""Allen's relations between two collections of intervals.

`holdsfor.intervals` defines right-open, open and touching intervals. For a source i and a target j, with start s and
end e:

    before    e(i) < s(j)                after          before, with i and j swapped
    meets     e(i) = s(j)                met_by         meets, swapped
    starts    s(i) = s(j), e(i) < e(j)   started_by     starts, swapped
    finishes  s(i) > s(j), e(i) = e(j)   finished_by    finishes, swapped
    during    s(i) > s(j), e(i) < e(j)   contains       during, swapped
    overlaps  s(i) < s(j) < e(i) < e(j)  overlapped_by  overlaps, swapped
    equal     s(i) = s(j), e(i) = e(j)

Exactly one of the thirteen relations holds between any two intervals; touching intervals meet.

`pairs` returns the related rows as ranges of targets, at most one range for each source, since the pairs themselves may
be as many as sources times targets. `compare` sorts and compares once for all relations. `relate` is the construct of
the language as a function: it combines related sources and targets by an output mode.

>>> from holdsfor import allen
>>> gaps, meetings = ([20, 3, 40], [24, 5, 60]), ([18, 0], [30, 10])
>>> found = allen.pairs(*gaps, *meetings, "during")
>>> found
Pairs: `during` holds 2 times, between 2 of 3 sources and 2 of 2 targets
>>> rows, other_rows = found.expand()
>>> list(zip(rows.tolist(), other_rows.tolist()))
[(1, 1), (0, 0)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdsfor.arrow_stream import ArrowStream
from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean
from holdsfor.intervals.conversion import read_lists
from holdsfor.intervals.forms import Arrays, Columns, Table
from holdsfor.intervals.keyed_rows import KeyedRows, read_rows
from holdsfor.kernels.allen import (
    Comparison,
    Mode,
    Relation,
    compare_intervals,
    in_some_range,
    relate_intervals,
)
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.sweep import merge_intervals

__all__ = ["MODES", "RELATIONS", "Compared", "Mode", "Pairs", "Relation", "compare", "pairs", "relate"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
MODES: tuple[Mode, ...] = get_args(Mode)


def pairs(
    starts: ArrayLike,
    ends: ArrayLike,
    starts2: ArrayLike,
    ends2: ArrayLike,
    rel: Relation,
    *,
    keys: ArrayLike | None = None,
    keys2: ArrayLike | None = None,
    reach: int | None = None,
) -> Pairs:
    """Which sources (`starts`, `ends`) are in a relation with which targets (`starts2`, `ends2`), by row.

    Rows may be in any order; only those with equal keys are compared. The targets of a key must not overlap (they may
    touch), the sources may. `reach` bounds how far apart `before` and `after` may be.

    >>> pairs([1, 20], [4, 22], [4, 30], [9, 40], "meets")
    Pairs: `meets` holds once, between 1 of 2 sources and 1 of 2 targets
    >>> len(pairs([1, 20], [4, 22], [4, 30], [9, 40], "before", reach=10))
    1
    """
    return compare(starts, ends, starts2, ends2, keys=keys, keys2=keys2).pairs(rel, reach=reach)


def compare(
    starts: ArrayLike,
    ends: ArrayLike,
    starts2: ArrayLike,
    ends2: ArrayLike,
    *,
    keys: ArrayLike | None = None,
    keys2: ArrayLike | None = None,
) -> Compared:
    """Sources and targets, compared once for all relations; see `pairs`.

    `keys` and `keys2` are a column, or a list of columns, for the sources and the targets.

    >>> found = compare([1, 1], [4, 4], [4], [9], keys=["a", "b"], keys2=["a"])
    >>> len(found.pairs("meets")), len(found.pairs("before"))
    (1, 0)
    """
    sources, targets = read_rows((starts, ends, keys), (starts2, ends2, keys2))
    return Compared(sources, targets, compare_intervals(sources.ordered, targets.ordered))


@overload
def relate(
    sources: Arrays, targets: Arrays, rel: Relation, mode: Mode = ..., *, keys: None = None, reach: int | None = None
) -> Columns: ...
@overload
def relate(
    sources: Table,
    targets: Table,
    rel: Relation,
    mode: Mode = ...,
    *,
    keys: str | Sequence[str] | None = None,
    times: tuple[str, str] = ...,
    reach: int | None = None,
) -> Table: ...
def relate(
    sources: Arrays | ArrowStream,
    targets: Arrays | ArrowStream,
    rel: Relation,
    mode: Mode = "source",
    *,
    keys: str | Sequence[str] | None = None,
    times: tuple[str, str] = ("start", "end"),
    reach: int | None = None,
) -> Columns | ArrowStream:
    """The maximal intervals of the sources and targets that are in a relation, combined by the output mode.

    Lists are given and come back as in `holdsfor.intervals`, and are made maximal first.

    >>> starts, ends = relate(([3, 20], [10, 24]), ([5, 10], [8, 14]), "meets", "union")
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(3, 14)]
    """
    _check_relation(rel, reach)
    _check_name(mode, MODES, "output mode")
    given = read_lists([sources, targets], keys, times)
    one, two = (merge_intervals(*each) for each in given.lists)
    return given.to_caller(relate_intervals(rel, one, two, mode, reach))


@dataclass(frozen=True, repr=False)
class Compared:
    """Sources and targets, sorted and compared once for all relations.

    >>> compare([1, 20], [4, 22], [4], [9])
    Compared: 2 sources, 1 targets
    """

    sources: KeyedRows
    targets: KeyedRows
    comparison: Comparison

    def pairs(self, rel: Relation, *, reach: int | None = None) -> Pairs:
        """The pairs of one relation.

        >>> compare([1, 20], [4, 22], [4], [9]).pairs("after")
        Pairs: `after` holds once, between 1 of 2 sources and 1 of 1 targets
        """
        _check_relation(rel, reach)
        rows, lo, hi = self.comparison.matched(rel, reach)
        return Pairs(rel, self.sources.order[rows], lo, hi, self.targets.order, len(self.sources))

    def counts(self) -> dict[Relation, int]:
        """The number of pairs of each relation.

        >>> found = compare([1, 5, 9], [3, 6, 12], [1, 4], [3, 8]).counts()
        >>> {relation: n for relation, n in found.items() if n}
        {'before': 1, 'during': 1, 'equal': 1, 'after': 3}
        """
        return {relation: len(self.pairs(relation)) for relation in RELATIONS}

    def __repr__(self) -> str:
        return f"Compared: {len(self.sources):,} sources, {len(self.targets):,} targets"


@dataclass(frozen=True, repr=False)
class Pairs:
    """The pairs of a relation as ranges: `sources[k]` is related to the rows `targets[lo[k]:hi[k]]`.

    `sources` are the rows of sources with a partner, by key and start. `targets` are all rows of targets, by key and
    start. `len` counts pairs.

    >>> found = pairs([20, 5], [24, 8], [0, 18], [10, 30], "during")
    >>> len(found), found.sources.tolist()
    (2, [1, 0])
    """

    relation: Relation
    sources: Int64
    lo: Int64
    hi: Int64
    targets: Int64
    n_sources: int

    @property
    def ranges(self) -> Int64:
        """`lo` and `hi` side by side: a row for each source with a partner.

        >>> pairs([5], [8], [10, 20], [15, 30], "before").ranges.tolist()
        [[0, 2]]
        """
        return np.stack((self.lo, self.hi), axis=1)

    @cached_property
    def _up_to(self) -> Int64:
        """The number of pairs up to and including each source."""
        return np.cumsum(self.hi - self.lo)

    def __len__(self) -> int:
        return int(self._up_to[-1]) if len(self._up_to) else 0

    def expand(self, first: int = 0, stop: int | None = None) -> tuple[Int64, Int64]:
        """The rows of the sources and of the targets, pair by pair; pairs `first` to `stop` if all are too many.

        >>> sources, targets = pairs([5], [8], [10, 20], [15, 30], "before").expand()
        >>> sources.tolist(), targets.tolist()
        ([0, 0], [0, 1])
        """
        last = len(self) if stop is None else min(stop, len(self))
        numbers = np.arange(max(first, 0), max(last, first, 0), dtype=np.int64)
        owner = np.searchsorted(self._up_to, numbers, side="right")
        return self.sources[owner], self.targets[self.hi[owner] - (self._up_to[owner] - numbers)]

    @property
    def sources_matched(self) -> NDArray[np.bool_]:
        """For every row of the sources, whether it is related to some target.

        >>> pairs([20, 1], [22, 4], [4], [9], "meets").sources_matched.tolist()
        [False, True]
        """
        matched = np.zeros(self.n_sources, dtype=bool)
        matched[self.sources] = True
        return matched

    @property
    def targets_matched(self) -> NDArray[np.bool_]:
        """For every row of the targets, whether some source is related to it.

        >>> pairs([1], [4], [4, 30], [9, 40], "meets").targets_matched.tolist()
        [True, False]
        """
        matched = np.zeros(len(self.targets), dtype=bool)
        matched[self.targets[in_some_range((self.lo, self.hi), len(self.targets))]] = True
        return matched

    def __repr__(self) -> str:
        n, n_targets = len(self), int(self.targets_matched.sum())
        times = "once" if n == 1 else f"{n:,} times"
        between = (
            f"{len(self.sources):,} of {self.n_sources:,} sources and {n_targets:,} of {len(self.targets):,} targets"
        )
        return f"Pairs: `{self.relation}` holds {times}, between {between}"


def _check_relation(relation: str, reach: int | None) -> None:
    _check_name(relation, RELATIONS, "relation")
    if reach is not None:
        _check(relation in ("before", "after"), f"`{relation}` has no reach", "only `before` and `after` have one")
        _check(_is_reach(reach), f"expected a reach of 0 or more, found `{reach}`")


def _is_reach(number: object) -> bool:
    """Whether a value is a non-negative integer of 63 bits."""
    return isinstance(number, int | np.integer) and bool(0 <= number < 2**63)


def _check_name(name: str, names: Sequence[str], what: str) -> None:
    if not isinstance(name, str) or name not in names:
        hint = did_you_mean(str(name), names) or "there are " + ", ".join(f"`{each}`" for each in names)
        _check(False, f"{what} `{name}` not found", hint)


def _check(holds: bool, message: str, hint: str | None = None) -> None:
    if not holds:
        raise UsageProblem(Diagnostic("HF763", message, hint=hint))
