"""Time stepping: interaction of guarded rules, other rules and delays at one time-point."""

from __future__ import annotations

import gc

import pytest

from holdsfor.runtime.recursion import time_stepping
from holdsfor.runtime.recursion.steppable import is_steppable
from holdsfor.runtime.session import EngineSession
from tests.seeds import some
from tests.unit.runtime.cases import Example

WALKED = {
    "a value that the records bring, guarded": Example(
        "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T), not holdsAt(s(X)=stop, T). ",
        ("set|1|a|low", "set|2|a|high", "set|2|b|low", "set|3|a|stop", "set|4|a|low", "set|4|b|stop"),
    ),
    "two values at once leave none": Example(
        "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T), not holdsAt(s(X)=stop, T). ",
        ("set|1|a|low", "set|2|a|high", "set|2|a|low", "set|5|a|low"),
    ),
    "a value outside the grounding breaks and does not hold": Example(
        "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T), not holdsAt(s(X)=stop, T). "
        "grounding(s(X)=V) :- d(X), v(V). d(a). v(low). v(stop).",
        ("set|1|a|low", "set|2|b|low", "set|3|a|high", "set|5|a|low", "set|6|a|stop", "set|7|a|low"),
    ),
    "initiated and terminated at one time-point": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(e(X), T), not holdsAt(r(X)=on, T). "
        "terminatedAt(s(X)=_, T) :- happensAt(f(X), T), not holdsAt(r(X)=on, T). "
        "initiatedAt(r(X)=on, T) :- happensAt(g(X), T), holdsAt(s(X)=on, T). "
        "terminatedAt(r(X)=on, T) :- happensAt(g(X), T), not holdsAt(s(X)=on, T).",
        ("e|1|a", "f|2|a", "e|2|a", "e|4|a", "g|4|a", "g|6|a", "f|7|a", "g|9|a", "e|9|a", "f|10|a", "g|11|a"),
    ),
    "a rule triggered by starts, one triggered by ends, and an event of the component": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(e(X), T), not holdsAt(r(X)=on, T). "
        "initiatedAt(s(X)=off, T) :- happensAt(f(X), T), holdsAt(s(X)=on, T). "
        "initiatedAt(r(X)=on, T) :- happensAt(start(s(X)=on), T). "
        "happensAt(over(X), T) :- happensAt(end(s(X)=on), T). "
        "terminatedAt(r(X)=on, T) :- happensAt(over(X), T). ",
        ("e|1|a", "e|2|a", "f|3|a", "e|3|b", "f|5|b", "e|6|a", "f|6|a", "f|8|a"),
    ),
    "effects postponed and cancelled": Example(
        "initiatedAt(s(X)=low, T) :- happensAt(set(X, low), T), not holdsAt(s(X)=stop, T). "
        "initiatedAt(s(X)=high, T) :- happensAt(set(X, high), T), not holdsAt(s(X)=stop, T). "
        "initiatedAt(s(X)=stop, T) :- happensAt(set(X, stop), T). "
        "fi(s(X)=low, s(X)=idle, 3). fi(s(X)=high, s(X)=idle, 3). p(s(_)=low). ft(s(_)=idle, 4). ",
        ("set|1|a|low", "set|3|a|low", "set|3|b|high", "set|5|b|high", "set|8|b|low", "set|9|b|stop", "set|20|b|low"),
    ),
    "effects of a value left open": Example(
        "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T), not holdsAt(r(X)=stop, T). fi(s(X)=V, r(X)=V, 3). ",
        ("set|1|a|low", "set|3|a|low", "set|3|b|high", "set|5|b|high", "set|8|b|stop", "set|9|b|stop", "set|20|b|low"),
    ),
    "two effects of one value, each of its own length": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(e(X), T), not holdsAt(r(X)=on, T). "
        "fi(s(X)=on, r(X)=on, 2). fi(s(X)=on, r(X)=off, 5). ",
        ("e|1|a", "e|4|a", "e|7|a", "e|8|b", "e|9|b"),
    ),
    "an effect that is tested when it is due": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(e(X), T), not holdsAt(s(X)=on, T). "
        "fi(s(X)=on, s(X)=off, 4) :- not happensAt(keep(X), T). ",
        ("e|1|a", "keep|5|a", "e|2|b", "e|8|a", "e|8|b"),
    ),
    "a fluent without arguments": Example(
        "initiatedAt(s=on, T) :- happensAt(e, T), not holdsAt(s=on, T). "
        "initiatedAt(s=off, T) :- happensAt(e, T), holdsAt(s=on, T). ",
        ("e|1", "e|2", "e|5"),
    ),
}


@pytest.mark.parametrize("name", WALKED)
def test_time_stepping_has_the_answer_of_the_reference(name: str) -> None:
    session = EngineSession(WALKED[name].given.compiled, start=0)
    recursive = [c for c in session.rules.program.components if c.is_recursive and not c.is_only_delayed]
    assert recursive
    assert all(is_steppable(component, session.symbols) for component in recursive)
    WALKED[name].check(1, 2, 5)


@pytest.mark.parametrize("name", some(WALKED, 4))
def test_time_stepping_leaves_no_reference_cycles(name: str) -> None:
    gc.collect()
    gc.disable()
    try:
        WALKED[name].batch()
        left = [each for each in gc.get_objects() if isinstance(each, time_stepping._TimeStepping)]
    finally:
        gc.enable()
    assert left == []
