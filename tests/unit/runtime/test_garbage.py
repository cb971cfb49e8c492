"""Query times leave no reference cycles: what a session does not keep is freed at once.

Python's cyclic garbage collector seldom looks at objects that have survived a few of its passes. A table in a cycle
that is replaced every hundred query times would stay in memory for days.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.runtime import domain_members
from holdsfor.runtime import session as session_module
from tests.apps.data import ROOT
from tests.apps.runs import RUNS
from tests.garbage import no_garbage
from tests.unit.runtime.test_memory import DOMAIN, NEW_ENTITIES


@pytest.mark.parametrize("name", RUNS)
def test_query_times_of_applications_leave_no_garbage(name: str) -> None:
    run = RUNS[name]
    records = Path(ROOT, "apps", run.app, run.records)
    tick = int(run.options[1]) if run.options[0] == "--tick" else 1
    step = run.window // 5 // tick * tick
    session = hf.Session(hf.load(*run.files), start=0, window=run.window, step=step, tick=tick)
    session.insert(str(records))
    for _ in range(4):
        session.query()
    n_intervals = 0
    with no_garbage():
        for _ in range(10):
            n_intervals += session.query().reported.report.n_intervals
    assert n_intervals


@pytest.mark.parametrize("more", ["", DOMAIN], ids=["without domains", "domains"])
def test_entities_that_are_forgotten_leave_no_garbage(more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_ROOM", 500)
    monkeypatch.setattr(domain_members, "_ROOM", 100)
    session = hf.Session(hf.load_text(NEW_ENTITIES + more), start=0, window=20, step=10)

    def advance(number: int) -> None:
        lines = [f"a|{t}|{t}|entity {t}|per({t})" for t in range(10 * number + 1, 10 * number + 11)]
        session.insert(lines)
        session.retract(lines[::5])
        assert session.query().intervals

    for number in range(60):
        advance(number)
    with no_garbage():
        for number in range(60, 150):
            advance(number)
