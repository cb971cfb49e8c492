"""The rules (α)–(γ) without memory, counted by hand."""

from __future__ import annotations

from benchmarks.naive import Fluent, FutureInitiation, naive_evaluations

STANDING, OVER = 1, 2


def fluent(*, is_postponable: bool, standing: list[int], over: list[int]) -> Fluent:
    """A fluent whose value `STANDING`, initiated by one rule, ends after ten time-points."""
    return Fluent(
        future={FutureInitiation(STANDING, OVER, 10, is_postponable)},
        tried={STANDING: standing},
        initiated={STANDING: standing, OVER: over},
    )


def test_one_initiation_is_tried_once_and_its_effect_checked_once() -> None:
    assert naive_evaluations(fluent(is_postponable=False, standing=[1], over=[11]), 0, 20) == 2


def test_the_first_effect_is_proved_again_for_every_later_initiation_that_it_cancels() -> None:
    # Three triggers and three effects; the second and the third are cancelled at 11, which takes the first trigger and
    # the first effect once more each time.
    assert naive_evaluations(fluent(is_postponable=False, standing=[1, 3, 5], over=[11]), 0, 20) == 10


def test_a_postponable_effect_is_checked_for_breaks_before_renewals() -> None:
    # Three triggers. The effect of 1: looked at, and 3 found (2). That of 3: looked at, that of 1 proved to fail with
    # its trigger (1 + 2), and 5 found (5). That of 5: looked at, and the others proved to fail with theirs (2 + 2 + 5).
    assert naive_evaluations(fluent(is_postponable=True, standing=[1, 3, 5], over=[15]), 0, 20) == 3 + 2 + 5 + 10


def test_no_evaluation_is_counted_after_a_termination() -> None:
    broken = fluent(is_postponable=False, standing=[1], over=[])
    broken.tried_to_end[STANDING] = broken.terminated[STANDING] = [4]
    assert naive_evaluations(broken, 0, 20) == 3


def test_effects_due_after_the_window_are_not_counted() -> None:
    assert naive_evaluations(fluent(is_postponable=False, standing=[15], over=[]), 0, 20) == 0


def test_an_effect_set_up_before_the_window_is_checked_when_due() -> None:
    carried = fluent(is_postponable=False, standing=[], over=[3])
    carried.attempts = {(next(iter(carried.future)), 3)}
    assert naive_evaluations(carried, 0, 20) == 1


def test_effects_of_effects_multiply() -> None:
    """A cycle of two values that replace each other: twice the window more than doubles the evaluations."""
    cycle = Fluent(
        future={FutureInitiation(STANDING, OVER, 3, False), FutureInitiation(OVER, STANDING, 3, False)},
        tried={STANDING: [0]},
        initiated={STANDING: [0, 6, 12, 18, 24, 30, 36], OVER: [3, 9, 15, 21, 27, 33, 39]},
    )
    numbers = [naive_evaluations(cycle, 0, last) for last in (10, 20, 40)]
    assert numbers[1] > 2 * numbers[0]
    assert numbers[2] > 2 * numbers[1]
