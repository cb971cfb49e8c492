"""Windows do not change the answer of an Allen construct, even if the lists behind a cut change later.

The batch answer is computed from the reference's pairs. Possible errors: an interval that is split or ended at a cut; a
settled answer that a later interval changes; a partner dropped while a target still needs it. The second family
enumerates every short future: before `since` the answer is the same in all of them, and at `since` it is not, so each
answer is settled as early as possible.
"""

from __future__ import annotations

from itertools import product
from typing import get_args

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdsfor.kernels.allen import Mode
from holdsfor.kernels.allen_memory import AllenMemory, DirectRelation
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, merge_intervals
from holdsfor.reference.intervals import (
    INF,
    Interval,
    Intervals,
    allen_pairs,
    intersect,
    maximal,
    relative_complement,
    union,
)
from tests.seeds import examples
from tests.unit.kernels.lists import as_columns, as_rows, law

N_KEYS, N_POINTS = 2, 14
RELATIONS: tuple[DirectRelation, ...] = get_args(DirectRelation)
MODES: tuple[Mode, ...] = get_args(Mode)

Points = list[str]
"""By key, which of the time-points 0, 1, … a list has, such as `.##.`; after the last it has all or none."""

runs = st.lists(st.integers(1, 5), min_size=N_POINTS // 2, max_size=N_POINTS)
lines = st.one_of(
    st.text(".#", min_size=N_POINTS, max_size=N_POINTS),
    runs.map(lambda own: "".join(".#"[n % 2] * length for n, length in enumerate(own)).ljust(N_POINTS, ".")[:N_POINTS]),
)
points = st.lists(lines, min_size=N_KEYS, max_size=N_KEYS)
relations, modes = st.sampled_from(RELATIONS), st.sampled_from(MODES)
cuts = st.lists(st.integers(0, N_POINTS - 1), max_size=5).map(sorted)
reaches = st.one_of(st.none(), st.integers(0, 4))
begins = st.one_of(st.none(), st.lists(st.integers(0, N_POINTS - 1), min_size=N_KEYS, max_size=N_KEYS))


def as_list(own: Points, tick: int, since: int = 0) -> Keyed:
    """The intervals of the time-points from `since` on; the last time-point stands for all behind it."""
    rows = [
        (key, n * tick, OPEN if n == N_POINTS - 1 else (n + 1) * tick)
        for key, line in enumerate(own)
        for n, sign in enumerate(line)
        if sign == "#" and since <= n
    ]
    keys, starts, ends = as_columns(rows, 3)
    return merge_intervals(keys, starts, ends)


def of_key(each: Keyed, key: int) -> list[Interval]:
    return [(start, INF if end == OPEN else end) for k, start, end in as_rows(each) if k == key]


def batch_of_key(
    relation: DirectRelation, sources: list[Interval], targets: list[Interval], mode: Mode, reach: int | None
) -> Intervals:
    """The answer over whole lists, from the reference's pairs."""
    pairs = allen_pairs(relation, sources, targets, reach)
    one, two = maximal([i for i, _ in pairs]), maximal([j for _, j in pairs])
    match mode:
        case "source":
            return one
        case "target":
            return two
        case "union":
            return union([one, two])
        case "intersect":
            return intersect([one, two])
        case "complement":
            return relative_complement(one, [two])
        case "complement_inv":
            return relative_complement(two, [one])


def batch(memory: AllenMemory, sources: Keyed, targets: Keyed) -> list[tuple[int, ...]]:
    first = [0] * N_KEYS if memory.begins is None else memory.begins.tolist()
    return [
        (key, max(start, first[key]), OPEN if end == INF else int(end))
        for key in range(N_KEYS)
        for start, end in batch_of_key(
            memory.relation, of_key(sources, key), of_key(targets, key), memory.mode, memory.reach
        )
        if end > first[key]
    ]


def settled_before(memory: AllenMemory) -> list[int]:
    """By key, the end of the settled part of the answer."""
    return [int(time) for time in memory.settled_before(np.arange(N_KEYS))]


def parts(answer: Keyed, memory: AllenMemory) -> list[tuple[int, ...]]:
    """The part of an answer that a memory says is settled."""
    since = settled_before(memory)
    return [(key, start, min(end, since[key])) for key, start, end in as_rows(answer) if start < since[key]]


@settings(max_examples=examples(50))
@given(
    points,
    points,
    relations,
    modes,
    cuts,
    st.sampled_from([1, 1, 10]),
    reaches,
    st.lists(points, min_size=10, max_size=10),
    begins,
)
def test_answers_settled_by_windows_are_the_batch_answer(
    source: Points,
    target: Points,
    relation: DirectRelation,
    mode: Mode,
    at: list[int],
    tick: int,
    reach: int | None,
    beliefs: list[Points],
    first: list[int] | None,
) -> None:
    wanted = None if first is None else np.array(first, dtype=np.int64) * tick
    memory = AllenMemory(relation, mode, None if reach is None else reach * tick, begins=wanted)
    rows: list[tuple[int, ...]] = []
    previous = 0
    for n, cut in enumerate(at):
        believed = [
            [own[:cut] + wrong[cut:] for own, wrong in zip(each, beliefs[2 * n + side], strict=True)]
            for side, each in enumerate((source, target))
        ]
        known = as_list(believed[0], tick, previous), as_list(believed[1], tick, previous)
        answer = memory.answer(*known)
        later = memory.settled(*known, cut * tick)
        rows += parts(answer, later)
        memory, previous = later, cut
    rows += as_rows(memory.answer(as_list(source, tick, previous), as_list(target, tick, previous)))
    keys, starts, ends = as_columns(rows, 3)
    expected = batch(memory, as_list(source, tick), as_list(target, tick))
    assert as_rows(merge_intervals(keys, starts, ends)) == expected


@law
@given(points, points, relations, modes, cuts)
@example([".#.#.........."] * 2, ["...#.#.......#"] * 2, "before", "complement", [7, 7])
def test_the_settled_part_never_shrinks(
    source: Points, target: Points, relation: DirectRelation, mode: Mode, at: list[int]
) -> None:
    memory, previous = AllenMemory(relation, mode), 0
    for cut in at:
        later = memory.settled(as_list(source, 1, previous), as_list(target, 1, previous), cut)
        assert all(now >= before for now, before in zip(settled_before(later), settled_before(memory), strict=True))
        assert later.unsettled_since <= cut
        memory, previous = later, cut


AHEAD = 4
LINES = ["".join(signs) for signs in product(".#", repeat=AHEAD)]
FUTURES = list(product(LINES, LINES))
pasts = st.text(".#", min_size=1, max_size=6)


def spans(line: str) -> list[Interval]:
    return list(maximal([(n, n + 1) for n, sign in enumerate(line) if sign == "#"]))


def answers_of_futures(memory: AllenMemory, source: str, target: str) -> list[list[bool]]:
    """For every short future, whether the answer holds at each time-point of the past."""
    found = []
    for more, other in FUTURES:
        answer = batch_of_key(memory.relation, spans(source + more), spans(target + other), memory.mode, memory.reach)
        found.append([any(start <= n < end for start, end in answer) for n in range(len(source))])
    return found


@settings(max_examples=examples(20))
@given(pasts, pasts, relations, modes, st.one_of(st.none(), st.integers(0, 3)))
@example("##", ".#", "meets", "target", None)
@example("##", "..", "meets", "source", None)
@example("##", "..", "before", "source", 0)
@example("#..", "...", "before", "source", 2)
@example("#...", "....", "before", "source", 2)
def test_the_answer_is_settled_exactly_where_no_future_changes_it(
    source: str, target: str, relation: DirectRelation, mode: Mode, reach: int | None
) -> None:
    cut = min(len(source), len(target))
    source, target = source[:cut], target[:cut]
    memory = AllenMemory(relation, mode, reach).settled(column(source), column(target), cut)
    since = memory.unsettled_since
    found = answers_of_futures(memory, source, target)
    assert all(answer[:since] == found[0][:since] for answer in found)
    if since < cut and mode in ("source", "target"):
        assert any(answer[since] != found[0][since] for answer in found)


def column(line: str) -> Keyed:
    rows = [(0, start, int(end)) for start, end in spans(line)]
    keys, starts, ends = as_columns(rows, 3)
    return keys, starts, ends


@law
@given(points, points, relations, modes, st.integers(0, N_POINTS))
def test_few_intervals_are_kept_if_none_is_undecided(
    source: Points, target: Points, relation: DirectRelation, mode: Mode, cut: int
) -> None:
    memory = AllenMemory(relation, mode).settled(as_list(source, 1), as_list(target, 1), cut)
    if memory.unsettled_since == cut:
        assert memory.n_kept <= 3 * N_KEYS


def test_intervals_cut_by_a_window_are_not_equal() -> None:
    """The source began before the target, and both starts leave the window before the intervals end."""
    sources, targets = column("#########."), column("....#####.")
    memory = AllenMemory("equal", "source").settled(sources, targets, 4)
    rest = np.array([0]), np.array([4]), np.array([9])
    assert as_rows(memory.answer(rest, rest)) == []
