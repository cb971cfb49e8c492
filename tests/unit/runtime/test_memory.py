"""A session keeps its window and its open state, however long the stream: the reachable objects do not grow.

All stored data is counted: rows of columns, entries of tables, clauses, cached answers.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import holdsfor as hf
from holdsfor.physical.operators import prove
from holdsfor.runtime import domain_members
from holdsfor.runtime import session as session_module
from tests.seeds import examples

pytestmark = pytest.mark.in_turn(2)

RULES = """
dynamicDomain(v(_)). grounding(a(X)) :- v(X). grounding(s(X)=on) :- v(X). grounding(s(X)=off) :- v(X).
grounding(c(X)=true) :- v(X). grounding(long(X)=true) :- v(X).
points(pf(_)=_). collectIntervals(jf(_)=_).
initially(s(X)=off).
over(N) :- N > 3.
known(X) :- v(X).
initiatedAt(s(X)=on, T) :- happensAt(a(X), T), happensAt(n(X, N), T), over(N).
initiatedAt(s(X)=off, T) :- happensAt(b(X), T).
initiatedAt(u(X)=true, T) :- happensAt(a(X), T).
terminatedAt(u(X)=_, T) :- happensAt(b(_), T).
initiatedAt(w(X)=true, T) :- happensAt(all, T).
holdsFor(c(X)=true, J) :- holdsFor(s(X)=on, I), holdsFor(jf(X)=on, K), complement_all([I, K], J).
holdsFor(long(X)=true, J) :- holdsFor(s(X)=on, I), intDurGreater(I, 4, J).
happensAt(o(X), T) :- happensAt(start(long(X)=true), T), known(X).
happensAt(p(X, V), T) :- happensAt(end(pf(X)=V), T), holdsAt(s(X)=on, T).
"""


def n_kept(root: object) -> int:
    """How much is reachable from an object of ours."""
    total, waiting, seen = 0, [root], {id(root)}
    while waiting:
        each = waiting.pop()
        if isinstance(each, np.ndarray):
            total += each.size
        elif isinstance(each, dict | list | tuple | set | frozenset):
            total += len(each)
        for part in _parts(each):
            if id(part) not in seen and not isinstance(part, int | float | str | None):
                seen.add(id(part))
                waiting.append(part)
    return total


def _parts(each: object) -> Iterable[object]:
    if isinstance(each, dict):
        return [*each.keys(), *each.values()]
    if isinstance(each, list | tuple | set | frozenset):
        return each
    if not type(each).__module__.startswith("holdsfor"):
        return ()
    slots = [getattr(each, name, None) for kind in type(each).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*slots, *getattr(each, "__dict__", {}).values()]


def step_of_the_stream(session: hf.Session, begin: int) -> hf.Report:
    """Ten time-points with four entities, measurements that never recur, and a record that is retracted."""
    lines: list[str] = []
    for i in range(4):
        name, time = f"v{i}", begin + 1 + i
        lines += [f"a|{time}|{time}|{name}", f"all|{time}|{time}", f"n|{time}|{time}|{name}|{time}.5"]
        lines += [f"pf|{time}|{time}|{time}|{name}", f"jf|{time}|{time}|{time + 3}|on|{name}"]
        lines += [f"b|{begin + 9}|{begin + 9}|{name}"] * (i % 2)
    session.insert(lines)
    session.retract(lines[2:3])
    return session.query(begin + 10)


def test_a_steady_stream_keeps_no_more_at_its_end_than_near_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    n_windows = examples(250)
    monkeypatch.setattr(prove, "_CACHED_INPUTS", 50)
    session = hf.Session(hf.load_text(RULES), start=0, window=20, step=10)
    kept: dict[int, int] = {}
    n_intervals = 0
    for number in range(n_windows):
        report = step_of_the_stream(session, 10 * number)
        n_intervals += report.reported.report.n_intervals
        if number % 10 == 0:
            kept[number] = n_kept(session)
    early = max(n for number, n in kept.items() if 50 <= number < 150)
    late = max(n for number, n in kept.items() if number >= n_windows - 100)
    assert n_intervals > 10 * n_windows
    assert late <= 1.05 * early


NEW_ENTITIES = """
initiatedAt(s(X)=on, T) :- happensAt(a(X, per(Y)), T).
ft(s(X)=on, 7).
holdsFor(long(X)=true, J) :- holdsFor(s(X)=on, I), intDurGreater(I, 4, J).
terminatedAt(s(_)=on, T) :- happensAt(b(_), T).
"""
DOMAIN = """
dynamicDomain(d(_)). dynamicDomain(p(_)).
grounding(a(X, per(Y))) :- d(X), p(Y).
grounding(s(X)=on) :- d(X). grounding(long(X)=true) :- known(X). grounding(seen(X)) :- d(X).
known(X) :- d(X).
happensAt(seen(X), T) :- happensAt(a(X, per(Y)), T), d(X), p(Y).
named(X) :- d(X), atom_length(X, N), N > 3.
happensAt(named(X), T) :- happensAt(a(X, per(_)), T), named(X).
"""


@pytest.mark.parametrize("more", ["", DOMAIN], ids=["without domains", "domains"])
def test_entities_that_disappear_leave_nothing(more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """New entities all the time: all stored data stays as large as the window and the open intervals."""
    monkeypatch.setattr(session_module, "_ROOM", 500)
    monkeypatch.setattr(domain_members, "_ROOM", 100)
    session = hf.Session(hf.load_text(NEW_ENTITIES + more), start=0, window=20, step=10)
    kept: dict[int, int] = {}
    for number in range(150):
        session.insert([f"a|{t}|{t}|entity {t}|per({t})" for t in range(10 * number + 1, 10 * number + 11)])
        assert session.query().intervals
        if number % 5 == 0:
            kept[number] = n_kept(session)
    early = max(n for number, n in kept.items() if 30 <= number < 90)
    late = max(n for number, n in kept.items() if number >= 100)
    assert late <= 1.05 * early
