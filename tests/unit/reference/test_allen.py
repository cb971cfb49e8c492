"""Allen's relations by the table of SPEC §6: which hold, also for intervals of one time-point and open ones."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from holdsfor.reference import INF
from holdsfor.reference.intervals import Interval, Intervals, allen, allen_pairs
from holdsfor.syntax.rules import AllenMode, AllenRelation

RELATIONS: tuple[AllenRelation, ...] = get_args(AllenRelation)


def relations(i: Interval, j: Interval) -> set[str]:
    """The relations between two intervals; an inverse is written with a leading `~`."""
    direct = {str(relation) for relation in RELATIONS if allen_pairs(relation, [i], [j])}
    inverse = {f"~{relation}" for relation in RELATIONS if allen_pairs(relation, [j], [i])}
    return direct | (inverse - {"~equal"})


TABLE: list[tuple[Interval, Interval, set[str]]] = [
    ((5, 10), (12, 15), {"before"}),
    ((5, 10), (11, 15), {"before"}),
    ((5, 10), (10, 15), {"meets"}),
    ((5, 11), (10, 15), {"overlaps"}),
    ((5, 10), (5, 15), {"starts"}),
    ((10, 15), (5, 15), {"finishes"}),
    ((7, 10), (5, 15), {"during"}),
    ((5, 15), (5, 15), {"equal"}),
    # one time-point
    ((9, 10), (9, 10), {"equal"}),
    ((9, 10), (10, 11), {"meets"}),
    ((9, 10), (11, 12), {"before"}),
    ((9, 10), (9, 15), {"starts"}),
    ((9, 10), (5, 15), {"during"}),
    ((5, 10), (9, 10), {"~finishes"}),
    ((8, 10), (9, 11), {"overlaps"}),
    ((5, 10), (5, 6), {"~starts"}),
    # open ends compare as infinity
    ((5, INF), (5, INF), {"equal"}),
    ((7, INF), (5, INF), {"finishes"}),
    ((5, 10), (7, INF), {"overlaps"}),
    ((5, 10), (5, INF), {"starts"}),
    ((5, 7), (7, INF), {"meets"}),
    ((5, 6), (7, INF), {"before"}),
    ((9, 12), (7, INF), {"during"}),
    ((5, INF), (7, 9), {"~during"}),
    # before 0
    ((-9, -3), (-4, 2), {"overlaps"}),
    ((-9, -3), (-3, 2), {"meets"}),
]


@pytest.mark.parametrize(("i", "j", "expected"), TABLE)
def test_the_table(i: Interval, j: Interval, expected: set[str]) -> None:
    assert relations(i, j) == expected


@pytest.mark.parametrize(("i", "j", "expected"), TABLE)
def test_the_inverses_are_the_relations_with_the_intervals_swapped(
    i: Interval, j: Interval, expected: set[str]
) -> None:
    swapped = {name if name == "equal" else name[1:] if name.startswith("~") else f"~{name}" for name in expected}
    assert relations(j, i) == swapped


def test_any_two_intervals_are_in_exactly_one_relation() -> None:
    some: list[Interval] = [(s, e) for s, e in product(range(6), [*range(7), INF]) if e > s]
    for i, j in product(some, some):
        assert len(relations(i, j)) == 1, (i, j)


@pytest.mark.parametrize(("memory", "starts"), [(None, [11, 12, 13]), (2, [11, 12]), (1, [11]), (0, [])])
def test_a_memory_bounds_before(memory: int | None, starts: list[int]) -> None:
    pairs = [allen_pairs("before", [(5, 10)], [(start, 20)], memory) for start in (10, 11, 12, 13)]
    assert [j[0] for related in pairs for _, j in related] == starts


S: Intervals = ((5, 12), (20, 25))
T: Intervals = ((10, 15), (30, 35))
MODES: list[tuple[AllenMode, Intervals]] = [
    ("source", ((5, 12),)),
    ("target", ((10, 15),)),
    ("union", ((5, 15),)),
    ("intersect", ((10, 12),)),
    ("complement", ((5, 10),)),
    ("complement_inv", ((12, 15),)),
]


@pytest.mark.parametrize(("mode", "expected"), MODES)
def test_the_output_modes(mode: AllenMode, expected: Intervals) -> None:
    assert allen("overlaps", S, T, mode) == expected


def test_the_output_modes_work_on_lists_not_on_pairs() -> None:
    inner: Intervals = ((4, 6), (8, 10), (18, 25))
    assert allen("during", inner, [(2, 20)], "complement_inv") == ((2, 4), (6, 8), (10, 20))
    assert allen("during", inner, [(2, 20)], "source") == ((4, 6), (8, 10))
    assert allen("before", [(0, 2), (3, 5)], [(4, 6), (9, 12)], "target") == ((4, 6), (9, 12))


def test_during_with_union_is_during_with_target() -> None:
    assert allen("during", [(12, 17)], [(10, 20)], "union") == allen("during", [(12, 17)], [(10, 20)], "target")


def test_figure_2_of_the_paper() -> None:
    within: Intervals = ((3, 10), (20, 24))
    gap: Intervals = ((5, 8), (10, 14), (27, 30))
    assert allen_pairs("meets", within, gap) == [((3, 10), (10, 14))]
    assert allen("meets", within, gap, "target") == ((10, 14),)
    assert allen("meets", within, gap, "union") == ((3, 14),)
    assert allen("meets", within, gap, "complement") == ((3, 10),)
    assert allen("meets", within, gap, "complement_inv") == ((10, 14),)


def test_nothing_is_related_to_nothing() -> None:
    for relation in RELATIONS:
        assert allen(relation, (), T, "union") == ()
        assert allen(relation, S, (), "union") == ()
