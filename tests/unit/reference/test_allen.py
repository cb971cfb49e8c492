"""Allen's relations by the table of SPEC §6: which hold, also for intervals of one time-point and open ones."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from holdsfor.reference import INF
from holdsfor.reference.intervals import Interval, Intervals, allen, allen_pairs
from holdsfor.syntax.rules import AllenMode, AllenRelation

RELATIONS: tuple[AllenRelation, ...] = get_args(AllenRelation)


def relations(i: Interval, j: Interval, tick: int = 1) -> set[str]:
    """The relations between two intervals; an inverse is written with a leading `~`."""
    direct = {str(relation) for relation in RELATIONS if allen_pairs(relation, [i], [j], tick)}
    inverse = {f"~{relation}" for relation in RELATIONS if allen_pairs(relation, [j], [i], tick)}
    return direct | (inverse - {"~equal"})


TABLE: list[tuple[Interval, Interval, set[str]]] = [
    ((5, 10), (12, 15), {"before"}),
    ((5, 10), (10, 15), {"before"}),
    ((5, 11), (10, 15), {"meets"}),
    ((5, 12), (10, 15), {"overlaps"}),
    ((5, 10), (5, 15), {"starts"}),
    ((10, 15), (5, 15), {"finishes"}),
    ((7, 10), (5, 15), {"during"}),
    ((5, 15), (5, 15), {"equal"}),
    # one time-point
    ((9, 10), (9, 10), {"equal"}),
    ((9, 10), (10, 11), {"before"}),
    ((9, 10), (9, 15), {"starts"}),
    ((9, 10), (5, 15), {"during"}),
    ((5, 10), (9, 10), {"meets", "~finishes"}),
    ((8, 10), (9, 10), {"meets", "~finishes"}),
    ((8, 10), (9, 11), {"meets"}),
    ((5, 10), (5, 6), {"~starts"}),
    # open ends compare as infinity
    ((5, INF), (5, INF), {"equal"}),
    ((7, INF), (5, INF), {"finishes"}),
    ((5, 10), (7, INF), {"overlaps"}),
    ((5, 10), (5, INF), {"starts"}),
    ((5, 8), (7, INF), {"meets"}),
    ((5, 7), (7, INF), {"before"}),
    ((9, 12), (7, INF), {"during"}),
    ((5, INF), (7, 9), {"~during"}),
    # before 0
    ((-9, -3), (-4, 2), {"meets"}),
    ((-9, -3), (-3, 2), {"before"}),
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


def test_any_two_intervals_of_several_time_points_are_in_exactly_one_relation() -> None:
    several = [(s, e) for s, e in product(range(6), range(7)) if e - s > 1]
    for i, j in product(several, several):
        assert len(relations(i, j)) == 1, (i, j)


def test_meets_looks_at_the_last_time_point_of_the_clock() -> None:
    assert relations((0, 80), (40, 200), tick=40) == {"meets"}
    assert relations((0, 80), (80, 200), tick=40) == {"before"}
    assert relations((0, 120), (40, 200), tick=40) == {"overlaps"}
    assert relations((0, 40), (0, 200), tick=40) == {"starts"}


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
    assert allen("overlaps", S, T, mode, 1) == expected


def test_the_output_modes_work_on_lists_not_on_pairs() -> None:
    inner: Intervals = ((4, 6), (8, 10), (18, 25))
    assert allen("during", inner, [(2, 20)], "complement_inv", 1) == ((2, 4), (6, 8), (10, 20))
    assert allen("during", inner, [(2, 20)], "source", 1) == ((4, 6), (8, 10))
    assert allen("before", [(0, 2), (3, 5)], [(4, 6), (9, 12)], "target", 1) == ((4, 6), (9, 12))


def test_during_with_union_is_during_with_target() -> None:
    assert allen("during", [(12, 17)], [(10, 20)], "union", 1) == allen("during", [(12, 17)], [(10, 20)], "target", 1)


def test_figure_2_of_the_paper() -> None:
    within: Intervals = ((3, 10), (20, 24))
    gap: Intervals = ((5, 8), (9, 14), (27, 30))
    assert allen_pairs("meets", within, gap, 1) == [((3, 10), (9, 14))]
    assert allen("meets", within, gap, "target", 1) == ((9, 14),)
    assert allen("meets", within, gap, "union", 1) == ((3, 14),)
    assert allen("meets", within, gap, "complement", 1) == ((3, 9),)
    assert allen("meets", within, gap, "complement_inv", 1) == ((10, 14),)


def test_nothing_is_related_to_nothing() -> None:
    for relation in RELATIONS:
        assert allen(relation, (), T, "union", 1) == ()
        assert allen(relation, S, (), "union", 1) == ()
