"""Every sentence of the specification and the examples of the papers, with the oracle, the reference and the engine.

The answers are written by hand. A run in windows evaluates every query time; a case without a window is run with
windows of half the run, which may not change its answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle.questions import ask
from tests.spec import papers, section1, section2, section3, section4, section5, section6, section7, section8
from tests.spec.cases import REFUSED, Case

SECTIONS = {
    "1": section1,
    "2": section2,
    "3": section3,
    "4": section4,
    "5": section5,
    "6": section6,
    "7": section7,
    "8": section8,
    "papers": papers,
}

PENDING: dict[tuple[str, str], str] = {}
"""Cases that an engine does not answer yet, with the reason. One that passes has to leave this list."""


def _cases() -> Iterator[object]:
    for name, section in SECTIONS.items():
        for case in section.CASES:
            for engine in case.engines:
                reason = PENDING.get((case.name, engine))
                marks = [] if reason is None else [pytest.mark.xfail(reason=reason, strict=True)]
                yield pytest.param(case, engine, id=f"{name}: {case.name} ({engine})", marks=marks)


@pytest.mark.parametrize(("case", "engine"), list(_cases()))
def test_the_engines_give_the_answer_of_the_specification(case: Case, engine: str) -> None:
    _check(case, engine)


def _check(case: Case, engine: str) -> None:
    found = ask(engine, case.question)
    if case.expected == REFUSED:
        assert isinstance(found, str), found
    else:
        assert found == case.expected


def test_names_are_unique() -> None:
    names = [case.name for section in SECTIONS.values() for case in section.CASES]
    assert len(names) == len(set(names))
    assert {name for name, _ in PENDING} <= set(names)
    assert "oracle" not in {engine for _, engine in PENDING}
