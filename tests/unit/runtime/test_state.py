"""Every part of a state matters: without it, a session that goes on from a snapshot reports something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import holdsfor as hf
from holdsfor.runtime.snapshot import Snapshot

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


def told(session: hf.Session, case: Case, at: int) -> str:
    """What one query time reports."""
    session.insert([line for line in case.records if at - case.step < int(line.split("|")[1]) <= at])
    report = session.query(at)
    return f"{list(report.rows())} {list(map(str, report.changes))}"


def reports(case: Case, saved_after: int, without: str | None = None) -> list[str]:
    """What the query times report if a session is saved after some of them, perhaps without a part of its state."""
    session, found = session_of(case), list[str]()
    for number in range(N_QUERIES):
        found.append(told(session, case, (number + 1) * case.step))
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
    counts = {"fates": {}, "unmatched": [], "counts": [0, 0, 0]}
    return {"events": [], "fluents": [], "retractions": [], **counts}


@pytest.mark.parametrize("part", CASES)
def test_a_session_that_goes_on_without_a_part_of_its_state_reports_something_else(part: str) -> None:
    case = CASES[part]
    expected = reports(case, 0)
    moments = range(1, N_QUERIES)
    assert [reports(case, moment) for moment in moments] == [expected] * len(moments)
    assert any(reports(case, moment, without=part) != expected for moment in moments)
