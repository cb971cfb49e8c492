"""Every part of a state matters: without it, a session that goes on from a snapshot reports something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import holdsfor as hf
from holdsfor.columns.query_times import QueryTimes
from holdsfor.columns.tables import FluentTable
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.runtime.upstream_results import NEVER
from holdsfor.sources.inputs import read_inputs
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom

SWITCH = """
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
terminatedAt(s(X)=on, T) :- happensAt(b(X), T).
"""

DOMAIN = """
dynamicDomain(d(_)).
grounding(a(X)) :- d(X).
grounding(s(X)=V) :- d(X), v(V).
v(on). v(off).
initially(s(X)=off).
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
"""


@dataclass(frozen=True)
class Case:
    """Rules and records for which a part of the state matters; the session has windows of 10."""

    rules: str
    records: tuple[str, ...]
    step: int = 10


CASES = {
    "held": Case(SWITCH, ("a|5|5|p", "b|48|48|p")),
    "edges": Case(SWITCH + "initiatedAt(e(X)=true, T) :- happensAt(endI(s(X)=on), T).", ("a|5|5|p", "b|19|19|p")),
    "pending": Case(SWITCH + "ft(s(X)=on, 30).", ("a|5|5|p",)),
    "prefixes": Case(
        SWITCH
        + "holdsFor(brief(X)=true, J) :- holdsFor(s(X)=on, I), intDurLess(I, 30, J).\n"
        + "initiatedAt(over(X)=true, T) :- happensAt(end(brief(X)=true), T).",
        ("a|5|5|p", "b|59|59|p"),
    ),
    "allen": Case(
        SWITCH
        + "initiatedAt(r(X)=on, T) :- happensAt(c(X), T). terminatedAt(r(X)=on, T) :- happensAt(d(X), T).\n"
        + "holdsFor(m(X)=true, J) :- holdsFor(s(X)=on, S), holdsFor(r(X)=on, R), allen(overlaps, S, R, target, J).",
        ("a|5|5|p", "c|8|8|p", "b|35|35|p", "d|55|55|p"),
    ),
    "made": Case(
        SWITCH
        + ":- intervalwise(later/2).\nlater([(S,E)], [(S,F)]) :- number(E), F is E + 40.\nlater([(_,inf)], []).\n"
        + "holdsFor(l(X)=true, J) :- holdsFor(s(X)=on, I), later(I, J).",
        ("a|5|5|p", "b|9|9|p"),
    ),
    "initial": Case(DOMAIN, ("a|5|5|p",)),
    "brought": Case(DOMAIN, ("a|5|5|p",)),
    "records": Case(SWITCH, ("a|18|18|p", "b|24|24|p"), 5),
}
N_QUERIES = 9


def session_of(case: Case) -> hf.Session:
    return hf.Session(hf.load_text(case.rules), start=0, window=10, step=case.step)


def report_text(session: hf.Session, case: Case, at: int) -> str:
    """What one query time reports."""
    session.insert([line for line in case.records if at - case.step < int(line.split("|")[1]) <= at])
    report = session.query(at)
    return f"{list(report.rows())} {list(map(str, report.changes))}"


def reports(case: Case, saved_after: int, without: str | None = None) -> list[str]:
    """What the query times report if a session is saved after some of them, perhaps without a part of its state."""
    session, found = session_of(case), list[str]()
    for number in range(N_QUERIES):
        found.append(report_text(session, case, (number + 1) * case.step))
        if number + 1 == saved_after:
            snapshot = Snapshot.from_bytes(session.snapshot())
            if without is not None:
                found_in = "state" if without in snapshot.parts["state"] else "members"
                parts = {**snapshot.parts[found_in], without: _nothing(without)}
                snapshot = replace(snapshot, parts={**snapshot.parts, found_in: parts})
            session = hf.Session.restore(snapshot.to_bytes(), hf.load_text(case.rules))
    return found


def _nothing(part: str) -> object:
    if part != "records":
        return []
    counts = {"admission_counts": {}, "unmatched": [], "counts": [0, 0, 0]}
    return {"events": [], "fluents": [], "retractions": [], **counts}


@pytest.mark.parametrize("part", CASES)
def test_every_part_of_the_state_changes_later_reports(part: str) -> None:
    case = CASES[part]
    expected = reports(case, 0)
    moments = range(1, N_QUERIES)
    assert [reports(case, moment) for moment in moments] == [expected] * len(moments)
    assert any(reports(case, moment, without=part) != expected for moment in moments)


# -- sessions of the engine --------------------------------------------------------------------------------------------

UPSTREAM = hf.load_text(SWITCH + "initiatedAt(r(X)=on, T) :- happensAt(c(X), T), holdsAt(s(X)=on, T).")


def session_of_a_stage() -> EngineSession:
    """A session that computes `r`; what another one computes of `s` is known from query times on, until others."""
    session = EngineSession(UPSTREAM, start=0, window=10, components=[1])
    p = session.symbols.words([Atom("p"), Atom("p")])
    on = session.symbols.words([Atom("on"), Atom("on")])
    starts, ends = np.array([6, 6]), np.array([OPEN, 27])
    session.insert_computed(("s", 1), FluentTable((p, on, starts, ends), 2), np.array([10, 30]), np.array([30, NEVER]))
    reading = read_inputs([["c|3|3|p", "c|25|25|p", "c|29|29|p", "c|33|24|p"]], UPSTREAM.names, 1, session.symbols)
    session.insert_reading(reading)
    session.announce(QueryTimes(0, 50, 10, 10))
    return session


@pytest.mark.parametrize("saved_after", range(6))
def test_a_restored_session_of_a_stage_has_the_results_of_other_stages(saved_after: int) -> None:
    sessions = [session_of_a_stage(), session_of_a_stage()]
    found: list[list[str]] = [[], []]
    for number in range(6):
        if number == saved_after:
            data = sessions[1].snapshot({"offset": 7}).to_bytes()
            assert Snapshot.from_bytes(data).more == {"offset": 7}
            sessions[1] = EngineSession.restored(Snapshot.from_bytes(data), UPSTREAM)
        for session, reports in zip(sessions, found, strict=True):
            report = session.query(10 * (number + 1))
            reports.append(f"{report.intervals(session.symbols)} {session.records.counts} {session.next_change()}")
    assert found[0] == found[1]
    assert "r" in found[0][2]


def test_a_session_continues_after_skipped_query_times() -> None:
    sessions = [EngineSession(UPSTREAM, start=0, window=10) for _ in range(2)]
    reports: list[list[str]] = [[], []]
    for number, (session, found) in enumerate(zip(sessions, reports, strict=True)):
        session.insert_reading(read_inputs([["a|5|5|p", "c|25|1000|p"]], UPSTREAM.names, 1, session.symbols))
        session.query(10)
        session.query(20)
        session.skip_to(990)
        if number:
            session = EngineSession.restored(session.snapshot(), UPSTREAM)
        session.insert_reading(read_inputs([["b|900|985|p"]], UPSTREAM.names, 1, session.symbols))
        for at in (1000, 1010, 1020):
            report = session.query(at)
            found.append(f"{report.intervals(session.symbols)} {session.records.counts}")
    assert reports[0] == reports[1]


SWITCHES = hf.load_text(
    "initiatedAt(s(X)=on, T) :- happensAt(a(X), T), not holdsAt(r(X)=on, T).\n"
    "terminatedAt(s(X)=on, T) :- happensAt(a(X), T), holdsAt(r(X)=on, T).\n"
    "initiatedAt(r(X)=on, T) :- happensAt(a(X), T), holdsAt(s(X)=on, T).\n"
    "terminatedAt(r(X)=on, T) :- happensAt(a(X), T), holdsAt(r(X)=on, T).\n"
)


@pytest.mark.parametrize("start", [1_000, -1_000])
def test_a_session_restored_with_its_report_settles_nothing_before_its_first_window_has_passed(start: int) -> None:
    """The first windows reach back before the start of the run, and one has a record from before the start."""
    sessions = [EngineSession(SWITCHES, start=start, window=100) for _ in range(2)]
    for number, at in enumerate(range(start + 20, start + 180, 20)):
        for session in sessions:
            lines = [f"a|{at}|{start - 50 + 15 * number}|p"]
            session.insert_reading(read_inputs([lines], SWITCHES.names, 1, session.symbols))
        found = [session.query(at).intervals(session.symbols) for session in sessions]
        assert found[0] == found[1]
        data = sessions[1].snapshot(has_report=True).to_bytes()
        sessions[1] = EngineSession.restored(Snapshot.from_bytes(data), SWITCHES)
    assert sorted(map(show, found[0])) == ["r(p)=on", "s(p)=on"]
