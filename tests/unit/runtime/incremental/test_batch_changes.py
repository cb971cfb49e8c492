"""The changes of query times that are evaluated together."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.runtime.incremental.batch_changes import BatchChanges
from holdsfor.runtime.incremental.key_spans import SpanStarts
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns
from holdsfor.syntax.printer import show

LAMPS = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
"""
LONG = LAMPS + "holdsFor(long(X)=true, J) :- holdsFor(lit(X)=true, I), intDurGreater(I, 15, J).\n"
STORM = LAMPS + "terminatedAt(lit(X)=true, T) :- happensAt(storm, T), holdsAt(lit(X)=true, T).\n"
MEETING = LAMPS + "initiatedAt(dark(X)=true, T) :- happensAt(off(X), T).\nholdsFor(after(X)=true, I) :-\n"
MEETING += "    holdsFor(lit(X)=true, I1), holdsFor(dark(X)=true, I2), allen(meets, I1, I2, target, I).\n"
CUT = LAMPS + "holdsFor(shown(X)=true, I) :- holdsFor(open(X)=true, I1), holdsFor(lit(X)=true, I2),\n"
CUT += "    intersect_all([I1, I2], I).\ncollectIntervals(open(_)=true).\n"


def changes(text: str, *lines: str, last: int = 40) -> tuple[EngineSession, BatchChanges | None]:
    """The changes of the query times 20, 30, … after a first query time 10."""
    compiled, symbols, reading = compile_text(text), Symbols(), ColumnReading()
    read_columns("\n".join(lines).encode(), "text", compiled.names, 1, symbols, reading)
    session = EngineSession(compiled, start=0, window=30, symbols=symbols)
    session.apply(reading.unsettled())
    session.query(10)
    return session, session.changes_until(last, 10)


def rows(session: EngineSession, found: BatchChanges | None, name: str) -> list[tuple[int, str, str, int, int | None]]:
    """Query time, `+` or `-`, first argument, start and end."""
    assert found is not None
    each = found.fluents[name, 1]
    words = [show(term) for term in session.symbols.terms(each.table.columns[0])]
    ends = [None if end > 10**9 else end for end in each.table.ends.tolist()]
    signs = ["-" if gone else "+" for gone in each.is_gone.tolist()]
    return list(zip(each.query_times.tolist(), signs, words, each.table.starts.tolist(), ends, strict=True))


def test_intervals_begin_and_end_at_the_query_times_that_reach_them() -> None:
    found = changes(LAMPS, "on|15|15|a", "off|27|27|a")
    assert rows(*found, "lit") == [(20, "+", "a", 16, None), (30, "-", "a", 16, None), (30, "+", "a", 16, 28)]


def test_a_late_record_changes_its_key_from_the_query_time_on_that_sees_it() -> None:
    found = changes(LAMPS, "on|5|5|a", "on|5|5|b", "off|33|15|a")
    assert rows(*found, "lit") == [(40, "-", "a", 6, None), (40, "+", "a", 6, 16)]
    assert found[0].n_whole == 2


def test_a_retraction_changes_its_key_from_the_query_time_on_that_sees_it() -> None:
    found = changes(LAMPS, "on|5|5|a", "on|12|12|b", "-on|25|12|b")
    assert rows(*found, "lit") == [(20, "+", "b", 13, None), (30, "-", "b", 13, None)]


def test_an_unmatched_retraction_has_the_query_time_that_sees_it() -> None:
    _, found = changes(LAMPS, "on|12|12|b", "-on|25|12|c")
    assert found is not None
    assert [at for at, _ in found.unmatched] == [30]


def test_an_interval_that_becomes_long_enough_counts_from_its_start() -> None:
    found = changes(LONG, "on|12|12|a", "off|38|38|a")
    expected = [(30, "+", "a", 13, None), (40, "-", "a", 13, None), (40, "+", "a", 13, 39)]
    assert rows(*found, "long") == expected


def test_nothing_is_settled_before_a_window_leaves_the_start_of_the_run() -> None:
    session, found = changes(LAMPS, "on|5|5|a", "off|12|12|a", last=30)
    assert found is not None
    assert (found.settled_at, session.state.settled) == (-1, 0)


def test_later_query_times_continue_from_the_last_one() -> None:
    session, _ = changes(LAMPS, "on|5|5|a", "off|33|15|a", "on|38|38|b", last=60)
    report = session.query(70)
    assert session.previous == 70
    assert report.fluents["lit", 1].n == 1
    assert session.frontier == 40


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (STORM, ["on|12|12|a", "storm|18|18"]),
        (MEETING, ["on|12|12|a"]),
        (CUT, ["on|12|12|a", "open|38|2|30|true|a"]),
        (CUT, ["on|12|12|a", "open|12|12|30|true|a", "-open|25|12|30|true|a"]),
    ],
    ids=["rows of other keys", "an Allen relation", "an interval that a window cuts", "a retracted interval"],
)
def test_other_query_times_are_evaluated_one_by_one(text: str, lines: list[str]) -> None:
    assert changes(text, *lines)[1] is None


def test_the_last_start_of_a_span_up_to_a_query_time() -> None:
    keys, numbers = np.array([7, 3, 7, 7, 3]), np.array([2, 4, 5, 2, 9])
    starts = SpanStarts([(keys, numbers)], 6)
    assert starts.keys.tolist() == [3, 7]
    assert starts.latest(np.array([3, 5, 7]), 4).tolist() == [4, 0, 2]
    assert starts.latest(np.array([3, 7, 8]), 6).tolist() == [4, 5, 0]
    assert starts.latest(np.array([3, 7]), 1).tolist() == [0, 0]
