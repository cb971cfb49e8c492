"""RTEC's tests of Allen's relations between two lists of intervals, through `holdsfor.allen`.

Its tests of the intervals to keep at a window's edge (`allen_intervals_to_cache`) are about RTEC's own cache. Here
the unit tests and the examples with windows replace them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import cast

from holdsfor import allen
from holdsfor.intervals import OPEN
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Struct, Term, list_items
from tests.rtec.differences import ALLEN_ANSWERS, ALLEN_TESTS, Pairs
from tests.rtec.peer import HERE, Intervals, intervals_of, prolog, rtec, terms_of

N_TESTS = 32


@dataclass(frozen=True)
class RelationTest:
    """Sources, targets and a relation; the related pairs that RTEC's authors expect, and those that RTEC computes."""

    sources: Intervals
    targets: Intervals
    relation: allen.Relation
    expected: Pairs
    answered: Pairs


@cache
def relation_tests() -> dict[str, RelationTest]:
    path = rtec("unit-tests", "allen-tests", "tests_allen.prolog")
    printed = prolog(HERE / "allen_tests.prolog", path.name, folder=path.parent)
    return dict(map(_relation_test, terms_of(printed)))


def test_every_test_of_relations_is_run() -> None:
    assert len(relation_tests()) == N_TESTS


def test_rtec_computes_what_its_authors_expect_or_more() -> None:
    unexpected = {name: test.answered for name, test in relation_tests().items() if test.answered != test.expected}
    assert unexpected == ALLEN_ANSWERS


def test_relations_agree_or_are_explained(count: Callable[[str, int, int], None]) -> None:
    tests = relation_tests()
    ours = {name: _related(test) for name, test in tests.items()}
    different = {name: found for name, found in ours.items() if found != tests[name].answered}
    assert different == ALLEN_TESTS
    count("tests of Allen's relations", len(tests), len(ALLEN_TESTS))


def _relation_test(term: Struct) -> tuple[str, RelationTest]:
    name, sources, targets, relation, expected, answered = term.args
    assert isinstance(relation, Atom)
    return show(name), RelationTest(
        intervals_of(sources),
        intervals_of(targets),
        cast(allen.Relation, relation.name),
        sorted(_pairs(expected), key=str),
        sorted(_pairs(answered), key=str),
    )


def _pairs(related: Term) -> Iterator[tuple[tuple[int, int | None], tuple[int, int | None]]]:
    for each in list_items(related)[0]:
        source, targets = list_items(each)[0]
        (one,) = intervals_of(Struct("[|]", (source, EMPTY_LIST)))
        yield from ((one, other) for other in intervals_of(targets))


def _related(test: RelationTest) -> Pairs:
    found = allen.pairs(*_columns(test.sources), *_columns(test.targets), test.relation)
    rows = zip(*(each.tolist() for each in found.expand()), strict=True)
    return sorted(((test.sources[one], test.targets[other]) for one, other in rows), key=str)


def _columns(spans: Intervals) -> tuple[list[int], list[int]]:
    return [start for start, _ in spans], [OPEN if end is None else end for _, end in spans]
