"""The changes of a query time as columns, against the list of changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, PointTable, fluent_table, point_table
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.reports.change_columns import event_change_columns, fvp_change_columns
from holdsfor.runtime.reports.changes import Changes, changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.sinks.change_lines import CHANGE_LINES, ChangeReport
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sinks.time_formats import ShowTime, as_integer, as_iso
from holdsfor.syntax.terms import Atom, Int, Term
from tests.unit.kernels.lists import as_columns, law

Intervals = list[tuple[int, int, int, int]]
Points = list[tuple[int, int]]

SYMBOLS = Symbols()
TERMS: list[Term] = [Atom("b"), Atom("a"), Int(3), Atom("it's, so")]
_rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 9), st.integers(1, 4)), max_size=8)
_points = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=6)


def fluents(rows: Intervals) -> FluentTable:
    words = [SYMBOLS.words(TERMS[row[i]] for row in rows) for i in (0, 1)]
    starts, lengths = as_columns([row[2:] for row in rows], 2)
    ends = starts + lengths
    ends[ends > 11] = OPEN
    return fluent_table(words, starts, ends)


def points(rows: Points) -> PointTable:
    return point_table([SYMBOLS.words(TERMS[row[0]] for row in rows), as_columns([row[1:] for row in rows], 1)[0]])


def report(
    at: int,
    one: Intervals,
    other: Intervals,
    happened: Points,
) -> ReportColumns:
    tables = {key: fluents(rows) for key, rows in ((("on", 1), one), (("f", 1), other)) if rows}
    return ReportColumns(at, tables, {("e", 1): points(happened)} if happened else {})


def listed(changes: Changes) -> ChangeReport:
    gone, come = changes.gone, changes.come
    found = interval_changes(gone.intervals(SYMBOLS), come.intervals(SYMBOLS))
    return ChangeReport(changes.query_time, found + event_changes(gone.times(SYMBOLS), come.times(SYMBOLS)))


@pytest.mark.parametrize("shown", [as_integer, as_iso(1)], ids=["integers", "dates"])
@law
@given(before=st.tuples(_rows, _rows, _points), after=st.tuples(_rows, _rows, _points))
def test_columns_have_the_lines_and_rows_of_the_list(
    shown: ShowTime,
    before: tuple[Intervals, Intervals, Points],
    after: tuple[Intervals, Intervals, Points],
) -> None:
    changes = changes_since(report(10, *before), report(20, *after), 0)
    columns = fvp_change_columns(changes, SYMBOLS), event_change_columns(changes, SYMBOLS)
    wide, narrow = ChangeReport(20, [], columns), listed(changes)
    for lines in CHANGE_LINES.values():
        assert "\n".join(lines([wide], shown)) == "\n".join(lines([narrow], shown))
    assert wide.table().to_pylist() == narrow.table().to_pylist()
    assert wide.table().schema == narrow.table().schema
