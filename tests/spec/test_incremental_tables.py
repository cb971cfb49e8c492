"""The worked tables of the paper on incremental evaluation (Tsilionis et al., JAIR 2022), by their results.

Table 2 has one example for each interval operation. Table 6 has two fluents at a query time, and the parts that are
retracted and inserted until the next one; tables 7, 10 and 13 end with the union, the intersection and the complement
at that query time. The contract of a change is checked on the same vectors: removed time-points held before, added ones
did not.
"""

from __future__ import annotations

import pytest

import holdsfor as hf
from tests.oracle.questions import ENGINES, Question, ask

Spans = list[tuple[int, int]]

DECLARED = "collectIntervals(a(_)=true).\ncollectIntervals(b(_)=true).\n"
OPERATIONS = {
    "union": "union_all([A, B], I)",
    "intersection": "intersect_all([A, B], I)",
    "complement": "relative_complement_all(A, [B], I)",
    "complement of the second": "relative_complement_all(B, [A], I)",
}

TABLE_2: dict[str, tuple[Spans, Spans, Spans]] = {
    "union": ([(5, 20), (26, 30)], [(28, 35)], [(5, 20), (26, 35)]),
    "intersection": ([(26, 31)], [(21, 26), (30, 40)], [(30, 31)]),
    "complement": ([(5, 20), (26, 30)], [(1, 4), (18, 22)], [(5, 18), (26, 30)]),
}

A_BEFORE: Spans = [(10, 15), (23, 30), (40, 50), (60, 70)]
B_BEFORE: Spans = [(17, 21), (26, 35), (43, 47), (54, 65)]
A_RETRACTED: Spans = [(10, 12), (27, 30), (43, 47)]
B_RETRACTED: Spans = [(19, 21), (43, 47), (60, 65)]
A_INSERTED: Spans = [(54, 58), (80, 90), (95, 100)]
B_INSERTED: Spans = [(37, 41), (82, 87), (105, 120)]

TABLE_6: dict[str, Spans] = {
    "union": [(10, 15), (17, 21), (23, 35), (40, 50), (54, 70)],
    "intersection": [(26, 30), (43, 47), (60, 65)],
    "complement": [(10, 15), (23, 26), (40, 43), (47, 50), (65, 70)],
    "complement of the second": [(17, 21), (30, 35), (54, 60)],
}
TABLES_7_10_13: dict[str, Spans] = {
    "union": [(12, 15), (17, 19), (23, 35), (37, 43), (47, 50), (54, 70), (80, 90), (95, 100), (105, 120)],
    "intersection": [(26, 27), (40, 41), (54, 58), (82, 87)],
    "complement": [(12, 15), (23, 26), (41, 43), (47, 50), (60, 70), (80, 82), (87, 90), (95, 100)],
}

BEFORE, AFTER, WINDOW = 130, 140, 140
"""Two query times after all intervals, and a window that has them all."""


def rules_of(*operations: str) -> str:
    """A statically determined fluent for each operation, with the name of the operation as its value."""
    text = DECLARED
    for operation in operations:
        text += f"holdsFor(f(X)='{operation}', I) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), "
        text += f"{OPERATIONS[operation]}.\n"
    return text


def lines_of(name: str, spans: Spans, arrival: int, sign: str = "") -> list[str]:
    return [f"{sign}{name}|{arrival}|{start}|{end}|true|x" for start, end in spans]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("operation", TABLE_2)
def test_table_2(operation: str, engine: str) -> None:
    a, b, expected = TABLE_2[operation]
    lines = [*lines_of("a", a, 0), *lines_of("b", b, 0)]
    question = Question(rules_of(operation), tuple(lines), 60)
    assert ask(engine, question) == {f"f(x)={_shown(operation)}": expected}


def _shown(operation: str) -> str:
    return operation if " " not in operation else f"'{operation}'"


def session_at_the_first_query_time() -> tuple[hf.Session, hf.Report]:
    session = hf.Session(hf.load_text(rules_of(*OPERATIONS)), start=0, window=WINDOW, step=AFTER - BEFORE)
    session.insert([*lines_of("a", A_BEFORE, 100), *lines_of("b", B_BEFORE, 100)])
    return session, session.query(BEFORE)


def found_in(report: hf.Report, operation: str) -> Spans:
    spans: Spans = report.holds_for(f"f(x)='{operation}'")
    return spans


def test_table_6_before_the_changes() -> None:
    _, report = session_at_the_first_query_time()
    for operation, expected in TABLE_6.items():
        assert found_in(report, operation) == expected


def test_tables_7_10_and_13_after_the_changes() -> None:
    session, _ = session_at_the_first_query_time()
    for name, retracted, inserted in (("a", A_RETRACTED, A_INSERTED), ("b", B_RETRACTED, B_INSERTED)):
        session.insert([*lines_of(name, retracted, BEFORE + 1, "-"), *lines_of(name, inserted, BEFORE + 1)])
    report = session.query(AFTER)
    assert report.unmatched == 0
    for operation, expected in TABLES_7_10_13.items():
        assert found_in(report, operation) == expected


@pytest.mark.parametrize("engine", ["oracle", "reference", "batch", "windows"])
def test_the_same_records_as_one_stream_give_the_results_of_tables_7_10_and_13(engine: str) -> None:
    lines = [*lines_of("a", A_BEFORE, 100), *lines_of("b", B_BEFORE, 100)]
    for name, retracted, inserted in (("a", A_RETRACTED, A_INSERTED), ("b", B_RETRACTED, B_INSERTED)):
        lines += [*lines_of(name, retracted, BEFORE + 1, "-"), *lines_of(name, inserted, BEFORE + 1)]
    question = Question(rules_of(*TABLES_7_10_13), tuple(lines), AFTER, window=WINDOW, step=AFTER - BEFORE)
    expected = {f"f(x)={_shown(operation)}": spans for operation, spans in TABLES_7_10_13.items()}
    assert ask(engine, question) == dict(sorted(expected.items()))


def test_changes_remove_time_points_that_held_and_add_others() -> None:
    session, first = session_at_the_first_query_time()
    session.insert(lines_of("a", A_RETRACTED, BEFORE + 1, "-") + lines_of("b", B_INSERTED, BEFORE + 1))
    report = session.query(AFTER)
    for operation in OPERATIONS:
        before, after = (points_of(found_in(each, operation)) for each in (first, report))
        own = [change for change in report.changes if change.name == f"f(x)={_shown(operation)}"]
        old = [change.old for change in own if isinstance(change.old, tuple)]
        new = [change.new for change in own if isinstance(change.new, tuple)]
        removed, added = points_of(old) - points_of(new), points_of(new) - points_of(old)
        assert removed == before - after
        assert added == after - before
        assert removed <= before
        assert not added & before


def points_of(spans: list[tuple[int, int]] | list[tuple[int, int | None]]) -> set[int]:
    return {time for start, end in spans for time in range(start, AFTER if end is None else end)}
