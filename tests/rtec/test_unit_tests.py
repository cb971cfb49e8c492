"""RTEC's unit tests through both evaluators: the answers of RTEC, or an explained difference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rtec.differences import UNIT_TESTS, Difference
from tests.rtec.unit_tests import FILES, UnitTest, answers, reference_answers, rules_of, unit_tests

N_UNIT_TESTS = 253


def test_every_unit_test_of_rtec_is_run() -> None:
    assert sum(len(unit_tests(file)) for file in FILES) == N_UNIT_TESTS


@pytest.mark.parametrize("file", FILES)
def test_rtec_answers_what_its_authors_expect(file: str) -> None:
    unexpected = {name: test.answered for name, test in unit_tests(file).items() if test.answered != test.expected}
    assert unexpected == {}


@pytest.mark.parametrize("file", FILES)
def test_unit_tests_agree_or_are_explained(file: str, tmp_path: Path, count: Callable[[str, int, int], None]) -> None:
    tests = unit_tests(file)
    known = UNIT_TESTS.get(file, {})
    rules = rules_of(file, tmp_path)
    ours = {name: answers(test, rules) for name, test in tests.items()}
    assert {name: reference_answers(test, rules) for name, test in tests.items()} == ours
    different = {name: found for name, found in ours.items() if found != tests[name].answered}
    assert different == {name: difference.answers for name, difference in known.items()}
    count(f"unit tests: {file}", len(tests), len(known))


@pytest.mark.parametrize(
    ("file", "name", "difference"),
    [(file, *each) for file, known in UNIT_TESTS.items() for each in known.items() if each[1].in_one_window],
)
def test_rtec_gives_the_answer_of_holdsfor_in_one_window(file: str, name: str, difference: Difference) -> None:
    test: UnitTest = unit_tests(file)[name]
    assert test.whole == difference.answers[max(difference.answers)]
