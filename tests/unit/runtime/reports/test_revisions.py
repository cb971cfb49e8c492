"""The query times between which rows are valid, and the reports that contain them."""

from __future__ import annotations

import holdsfor as hf
from holdsfor.columns.query_times import QueryTimes
from holdsfor.runtime.reports.revisions import Versions, revisions
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.upstream_results import NEVER
from holdsfor.sources.text_records import Reading, read_text_records

RULES = hf.load_text("""
initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose(X), T).
happensAt(ruined(X), T) :- happensAt(end(rich(X)=true), T).
""")
QUERIES = [10, 20, 30, 40]


def known(lines: list[str], *, window: int | None = 10) -> tuple[Versions, Versions]:  # type: ignore[type-arg]
    session, reading = EngineSession(RULES, start=0, window=window), Reading()
    read_text_records(lines, "records", RULES.names, 1, reading)
    session.insert((int(line.split("|")[1]), fact) for line, fact in zip(lines, reading.facts(), strict=True))
    session.announce(QueryTimes(0, QUERIES[-1], 10, window))
    found = revisions(session, QUERIES)
    return found.fluents["rich", 1], found.events["ruined", 1]


def test_an_ended_interval_replaces_the_open_one() -> None:
    rich, ruined = known(["win|3|3|ann", "lose|15|15|ann"])
    order = rich.known_from.argsort()
    assert rich.known_from[order].tolist() == [10, 20]
    assert rich.known_until[order].tolist() == [20, NEVER]
    assert rich.revises[order].tolist() == [-1, order[0]]
    assert not rich.is_retracted.any()
    assert rich.last_report[order].tolist() == [10, 20]
    assert (ruined.known_from.tolist(), ruined.last_report.tolist()) == ([20], [20])


def test_rows_that_a_late_record_removes_are_retracted() -> None:
    _, ruined = known(["win|3|3|ann", "lose|12|12|ann", "lose|25|5|ann"], window=40)
    times, order = ruined.table.times, ruined.table.times.argsort()
    assert times[order].tolist() == [5, 12]
    assert ruined.known_from[order].tolist() == [30, 20]
    assert ruined.known_until[order].tolist() == [NEVER, 30]
    assert ruined.is_retracted[order].tolist() == [False, True]


def test_an_unchanged_row_occurs_once_and_is_reported_while_it_is_in_a_window() -> None:
    rich, _ = known(["win|3|3|ann", "lose|5|5|ann"], window=25)
    assert rich.table.n == 1
    assert (rich.known_from.tolist(), rich.known_until.tolist(), rich.last_report.tolist()) == ([10], [NEVER], [20])


def test_without_a_window_every_report_has_all_rows() -> None:
    rich, ruined = known(["win|3|3|ann", "lose|5|5|ann"], window=None)
    assert rich.last_report.tolist() == ruined.last_report.tolist() == [40]
