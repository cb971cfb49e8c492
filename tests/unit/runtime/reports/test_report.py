"""Reports: their parts fit together, and their terms are in standard order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import point_table
from holdsfor.kernels.packing import OPEN
from holdsfor.prolog import standard_order_key
from holdsfor.runtime.reports.report import ReportColumns, merged
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Int, Term
from tests.properties.answers import as_answer
from tests.unit.columns.merging import fluent_table
from tests.unit.kernels.lists import as_columns, law

_words: list[Term] = [Atom("a"), Int(2), Atom("b")]
_fluents = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(-6, 6), st.one_of(st.integers(1, 4), st.none())),
    max_size=8,
)
_events = st.lists(st.tuples(st.integers(0, 2), st.integers(-6, 8)), max_size=6)


def report_of(
    fluents: list[tuple[int, int, int, int | None]], events: list[tuple[int, int]]
) -> tuple[ReportColumns, Symbols]:
    symbols = Symbols()
    words = symbols.words(_words)
    rows = [(a, v, start, OPEN if length is None else start + length) for a, v, start, length in fluents]
    argument, value, starts, ends = as_columns(rows, 4)
    event, times = as_columns(events, 2)
    tables = {("f", 1): fluent_table([words[argument], words[value]], starts, ends)} if rows else {}
    points = {("o", 1): point_table([words[event], times])} if events else {}
    return ReportColumns(9, tables, points), symbols


@law
@given(_fluents, _events, st.integers(-7, 9))
def test_the_parts_before_and_since_a_boundary_make_up_the_report(
    fluents: list[tuple[int, int, int, int | None]], events: list[tuple[int, int]], boundary: int
) -> None:
    report, symbols = report_of(fluents, events)
    before, since = report.before(boundary), report.since(boundary)
    assert as_answer(merged([before, since]), symbols) == as_answer(report, symbols)
    assert before.n_intervals + since.n_intervals == report.n_intervals
    assert all((table.ends <= boundary).all() for table in before.fluents.values())
    assert all((points.times < boundary).all() for points in before.events.values())


@law
@given(_fluents, _events)
def test_fvps_and_events_are_in_standard_order_with_their_times_sorted(
    fluents: list[tuple[int, int, int, int | None]], events: list[tuple[int, int]]
) -> None:
    report, symbols = report_of(fluents, events)
    intervals, times = report.intervals(symbols), report.times(symbols)
    for terms in (list(intervals), list(times)):
        assert terms == sorted(terms, key=standard_order_key)
    assert all([start for start, _ in own] == sorted(start for start, _ in own) for own in intervals.values())
    assert all(own == sorted(set(own)) for own in times.values())
    assert {show(event) for event in times} == {f"o({show(_words[i])})" for i, _ in events}
