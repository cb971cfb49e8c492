"""The interval operations against the printed results of the literature, step by step.

Tables 6, 7, 10 and 13 of the incremental-reasoning paper (JAIR 2022) print the result of every numbered operation of
equations (15), (19) and (23). Each is computed here with the plain operations; a slip in one, or in how touching
intervals are put together, shows in the first number that differs.
"""

from __future__ import annotations

import pytest

from holdsfor.reference.intervals import Intervals, intersect, relative_complement, union

A: Intervals = ((10, 15), (23, 30), (40, 50), (60, 70))
B: Intervals = ((17, 21), (26, 35), (43, 47), (54, 65))
A_LOST: Intervals = ((10, 12), (27, 30), (43, 47))
A_GAINED: Intervals = ((54, 58), (80, 90), (95, 100))
B_LOST: Intervals = ((19, 21), (43, 47), (60, 65))
B_GAINED: Intervals = ((37, 41), (82, 87), (105, 120))

A_OR_B: Intervals = ((10, 15), (17, 21), (23, 35), (40, 50), (54, 70))
A_AND_B: Intervals = ((26, 30), (43, 47), (60, 65))
A_NOT_B: Intervals = ((10, 15), (23, 26), (40, 43), (47, 50), (65, 70))
B_NOT_A: Intervals = ((17, 21), (30, 35), (54, 60))

NEW_OR: Intervals = (
    *((12, 15), (17, 19), (23, 35), (37, 43), (47, 50), (54, 70)),
    *((80, 90), (95, 100), (105, 120)),
)
NEW_AND: Intervals = ((26, 27), (40, 41), (54, 58), (82, 87))
NEW_NOT: Intervals = ((12, 15), (23, 26), (41, 43), (47, 50), (60, 70), (80, 82), (87, 90), (95, 100))


def test_table_6_combines_the_two_lists() -> None:
    assert union([A, B]) == A_OR_B
    assert intersect([A, B]) == A_AND_B
    assert relative_complement(A, [B]) == A_NOT_B
    assert relative_complement(B, [A]) == B_NOT_A


def test_the_worked_example_from_scratch() -> None:
    """Equation (12) has the lists at the later query time; the operations on them have the results of SPEC §4."""
    later_a = union([relative_complement(A, [A_LOST]), A_GAINED])
    later_b = union([relative_complement(B, [B_LOST]), B_GAINED])
    assert union([later_a, later_b]) == NEW_OR
    assert intersect([later_a, later_b]) == NEW_AND
    assert relative_complement(later_a, [later_b]) == NEW_NOT


def test_table_7_computes_the_union_incrementally() -> None:
    one = union([A_LOST, B_LOST])
    two = relative_complement(one, [A_AND_B])
    three = intersect([A_LOST, B_LOST])
    four = union([two, three])
    five = relative_complement(A_OR_B, [four])
    six = union([A_GAINED, B_GAINED])
    seven = union([five, six])
    assert one == ((10, 12), (19, 21), (27, 30), (43, 47), (60, 65))
    assert two == ((10, 12), (19, 21))
    assert three == ((43, 47),)
    assert four == ((10, 12), (19, 21), (43, 47))
    assert five == ((12, 15), (17, 19), (23, 35), (40, 43), (47, 50), (54, 70))
    assert six == ((37, 41), (54, 58), (80, 90), (95, 100), (105, 120))
    assert seven == NEW_OR


def test_table_10_computes_the_intersection_incrementally() -> None:
    one = union([A_LOST, B_LOST])
    two = relative_complement(A_AND_B, [one])
    three = relative_complement(A_NOT_B, [A_LOST])
    four = union([three, A_GAINED])
    five = intersect([B_GAINED, four])
    six = relative_complement(B_NOT_A, [B_LOST])
    seven = union([six, B_GAINED])
    eight = intersect([A_GAINED, seven])
    nine = union([five, eight])
    ten = union([two, nine])
    assert one == ((10, 12), (19, 21), (27, 30), (43, 47), (60, 65))
    assert two == ((26, 27),)
    assert three == ((12, 15), (23, 26), (40, 43), (47, 50), (65, 70))
    assert four == ((12, 15), (23, 26), (40, 43), (47, 50), (54, 58), (65, 70), (80, 90), (95, 100))
    assert five == ((40, 41), (82, 87))
    assert six == ((17, 19), (30, 35), (54, 60))
    assert seven == ((17, 19), (30, 35), (37, 41), (54, 60), (82, 87), (105, 120))
    assert eight == ((54, 58), (82, 87))
    assert nine == ((40, 41), (54, 58), (82, 87))
    assert ten == NEW_AND


def test_table_13_computes_the_relative_complement_incrementally() -> None:
    one = union([A_LOST, B_GAINED])
    two = relative_complement(A_NOT_B, [one])
    three = relative_complement(B_NOT_A, [B_LOST])
    four = union([three, B_GAINED])
    five = relative_complement(A_GAINED, [four])
    six = relative_complement(A_AND_B, [A_LOST])
    seven = union([six, A_GAINED])
    eight = intersect([B_LOST, seven])
    nine = union([five, eight])
    ten = union([two, nine])
    assert one == ((10, 12), (27, 30), (37, 41), (43, 47), (82, 87), (105, 120))
    assert two == ((12, 15), (23, 26), (41, 43), (47, 50), (65, 70))
    assert three == ((17, 19), (30, 35), (54, 60))
    assert four == ((17, 19), (30, 35), (37, 41), (54, 60), (82, 87), (105, 120))
    assert five == ((80, 82), (87, 90), (95, 100))
    assert six == ((26, 27), (60, 65))
    assert seven == ((26, 27), (54, 58), (60, 65), (80, 90), (95, 100))
    assert eight == ((60, 65),)
    assert nine == ((60, 65), (80, 82), (87, 90), (95, 100))
    assert ten == NEW_NOT


@pytest.mark.parametrize("several", [[A, B], [A, B, A_LOST], [A], [A, A], [A, ()]])
def test_the_order_of_the_lists_does_not_matter(several: list[Intervals]) -> None:
    assert union(several) == union(several[::-1])
    assert intersect(several) == intersect(several[::-1])
