"""Small programs that are sensitive to windows: for every window, the settled answers are those of the whole history.

Results that are lost, cut or repeated at a window's edge are found with the edge at every place.
"""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from tests.properties.answers import as_answer
from tests.unit.runtime.cases import Example

RULES = """
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
terminatedAt(s(X)=on, T) :- happensAt(b(X), T).
"""
EDGES = "happensAt(began(X), T) :- happensAt(start(s(X)=on), T). happensAt(ended(X), T) :- happensAt(end(s(X)=on), T)."

EXAMPLES = {
    "starts and ends at every query time": Example(RULES + EDGES, ("a|3|p", "b|6|p", "a|9|p", "b|10|p", "a|12|p")),
    "a value that is broken where it begins": Example(RULES + EDGES, ("a|3|p", "b|3|p", "a|4|p", "b|9|p")),
    "one value after another": Example(
        "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T).\n" + EDGES.replace("=on", "=_"),
        ("set|2|p|1", "set|4|p|1.0", "set|9|p|one", "set|9|p|two", "set|15|p|1"),
    ),
    "a long interval and its length": Example(
        RULES + "holdsFor(long(X)=true, J) :- holdsFor(s(X)=on, I), intDurGreater(I, 9, J).",
        ("a|1|p", "b|20|p", "a|2|q", "b|11|q", "a|2|r", "b|12|r"),
    ),
    "short intervals": Example(
        RULES + "holdsFor(short(X)=true, J) :- holdsFor(s(X)=on, I), intDurLess(I, 9, J).",
        ("a|1|p", "b|20|p", "a|2|q", "b|10|q", "a|2|r", "b|11|r", "a|25|r"),
    ),
    "a filter on a filter": Example(
        RULES + "holdsFor(l(X)=true, J) :- holdsFor(s(X)=on, I), intDurGreater(I, 4, J)."
        "\nholdsFor(m(X)=true, J) :- holdsFor(l(X)=true, I), complement_all([I], K), intDurGreater(K, 3, J).",
        ("a|1|p", "b|9|p", "a|12|p", "b|20|p", "a|21|q"),
    ),
    "initial values of an entity that appears late": Example(
        "dynamicDomain(d(_)). grounding(e(X)) :- d(X). grounding(s(X)=off) :- d(X). grounding(s(X)=on) :- d(X).\n"
        "initially(s(X)=off). initiatedAt(s(X)=on, T) :- happensAt(e(X), T).",
        ("e|3|p", "e|27|q"),
    ),
    "initial values of fluents of one name that have nothing to do with each other": Example(
        "initially(s(k(a))=on). initially(s(m(a))=on).\n"
        "terminatedAt(s(k(X))=on, T) :- happensAt(b(X), T). terminatedAt(s(m(X))=on, T) :- happensAt(c(X), T).",
        ("b|3|a", "c|17|a"),
    ),
    "more values of a fluent than are remembered": Example(
        "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T). grounding(s(p)=V) :- odd(V).\n"
        + "".join(f"odd({i}). " for i in range(1, 80, 2)),
        tuple(f"set|{t}|{x}|{t + 40 * (x == 'q')}" for t in range(30) for x in "pq"),
    ),
    "what holds for arguments that are asked for in another order, twice, and as a value": Example(
        "initiatedAt(s(X, Y)=Y, T) :- happensAt(a(Y, X), T). initiatedAt(r(X, X)=on, T) :- happensAt(a(X, _), T).\n"
        "terminatedAt(s(X, Y)=_, T) :- happensAt(b(X), T), holdsAt(r(Y, Y)=on, T).\n"
        "initiatedAt(t(X, Y)=on, T) :- happensAt(a(X, Y), T), not holdsAt(s(X, Y)=p, T), not holdsAt(s(Y, X)=p, T).\n"
        "terminatedAt(t(X, Y)=on, T) :- happensAt(b(X), T), holdsAt(s(X, Y)=q, T), happensAt(c(Y, X), T).\n"
        "happensAt(both(X, Y), T) :- happensAt(c(Y, X), T), holdsAt(t(X, Y)=on, T), holdsAt(s(Y, X)=X, T).",
        ("a|1|p|q", "a|4|q|p", "b|7|q", "c|9|q|p", "a|10|q|q", "a|11|p|q", "b|11|p", "b|14|p", "c|14|q|p", "c|16|q|p"),
    ),
    "complements of an entity that appears late": Example(
        "dynamicDomain(d(_)). grounding(a(X)) :- d(X). grounding(s(X)=on) :- d(X). grounding(c(X)=true) :- d(X).\n"
        + RULES
        + "holdsFor(c(X)=true, J) :- holdsFor(s(X)=on, I), complement_all([I], J).",
        ("a|3|p", "b|9|p", "a|27|q"),
    ),
    "an open value keeps its entity": Example(
        "dynamicDomain(d(_)). grounding(a(X)) :- d(X). grounding(s(X)=on) :- d(X).\n" + RULES, ("a|1|p", "b|25|p")
    ),
    "a tick of its own": Example(RULES + EDGES, ("a|40|p", "b|120|p", "a|200|p"), start=0, end=400, tick=40),
    "times before zero": Example(RULES + EDGES, ("a|-20|p", "b|-11|p", "a|-1|p", "b|0|p"), start=-20, end=5),
    "touching records of an input fluent are one interval": Example(
        "collectIntervals(f(_)=_). happensAt(began(X), T) :- happensAt(start(f(X)=on), T).\n"
        "happensAt(ended(X), T) :- happensAt(end(f(X)=on), T).\n"
        "holdsFor(long(X)=true, J) :- holdsFor(f(X)=on, I), intDurGreater(I, 6, J).",
        ("f|2|5|on|p", "f|5|9|on|p", "f|11|14|on|p", "f|13|29|on|p"),
    ),
    "points of an input fluent": Example(
        "points(f(_)=_). happensAt(began(X, V), T) :- happensAt(start(f(X)=V), T).\n"
        "initiatedAt(s(X)=V, T) :- happensAt(end(f(X)=V), T).",
        ("f|2|1|p", "f|3|1|p", "f|4|2|p", "f|9|1|p", "f|10|1|p", "f|11|1|p"),
    ),
    "partly simple and partly computed": Example(
        "collectIntervals(f(_)=_).\n" + RULES + "holdsFor(s(X)=low, J) :- holdsFor(f(X)=on, I), holdsFor(s(X)=on, K), "
        "relative_complement_all(I, [K], J).\nhappensAt(o(X, V), T) :- happensAt(start(s(X)=V), T).",
        ("a|4|p", "b|9|p", "f|2|7|on|p", "f|12|20|on|p"),
    ),
    "constants in terms are part of the name": Example(
        "initiatedAt(obl(send(X, i))=true, T) :- happensAt(a(X), T).\n"
        "terminatedAt(obl(send(X, i))=true, T) :- happensAt(b(X), T).\n"
        "initiatedAt(obl(send(X, j))=true, T) :- happensAt(end(obl(send(X, i))=true), T).",
        ("a|3|p", "b|9|p"),
    ),
    "events of events that differ in a constant": Example(
        "happensAt(o(X, low), T) :- happensAt(a(X), T). happensAt(o(X, high), T) :- happensAt(b(X), T).\n"
        "happensAt(oo(V), T) :- happensAt(o(X, V), T), not happensAt(o(q, V), T).",
        ("a|3|p", "b|3|p", "a|5|q", "a|5|p", "b|30|p"),
    ),
    "a fluent without arguments": Example(
        "initiatedAt(s=on, T) :- happensAt(a, T). terminatedAt(s=_, T) :- happensAt(b, T).",
        ("a|3", "b|9", "a|9", "a|10"),
    ),
    "what a value outside the grounding breaks": Example(
        "grounding(s(X)=cold) :- d(X). d(p). initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T).",
        ("set|2|p|cold", "set|9|p|warm", "set|12|p|cold", "set|14|q|cold"),
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_windows_do_not_change_the_answer(name: str) -> None:
    EXAMPLES[name].check(1, 2, 3, 5, 7, 10, 30)


def test_query_times_need_not_be_time_points() -> None:
    Example(RULES + EDGES, ("a|40|p", "b|120|p"), start=7, end=400, tick=40).check(1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_windows_may_overlap(name: str) -> None:
    example = EXAMPLES[name]
    for window, step in ((3, 1), (7, 2), (30, 4)):
        expected, found = example.windows(window * example.tick, step * example.tick)
        assert found == expected, f"window {window}, step {step}"


# -- late records ------------------------------------------------------------------------------------------------------


def session(window: int, *records: str) -> EngineSession:
    """A session with records `name|arrival|occurrence|…`."""
    compiled = compile_text(RULES)
    reading = Reading()
    read_text_records(records, "records", compiled.names, 1, reading)
    made = EngineSession(compiled, start=0, window=window)
    arrivals = [int(record.split("|")[1]) for record in records]
    made.insert(zip(arrivals, reading.facts(), strict=True))
    return made


def test_a_record_has_no_effect_before_it_arrives() -> None:
    made = session(10, "a|7|3|p")
    assert as_answer(made.query(5), made.symbols) == {}
    assert as_answer(made.query(10), made.symbols) == {"s(p)=on": [(4, None)]}


def test_a_late_record_within_the_window_takes_effect() -> None:
    made = session(10, "a|3|3|p", "b|14|6|p")
    assert as_answer(made.query(10), made.symbols) == {"s(p)=on": [(4, None)]}
    assert as_answer(made.query(15), made.symbols) == {"s(p)=on": [(4, 7)]}
    assert (made.records.admission_counts.n_late, made.records.admission_counts.n_dropped) == (1, 0)


def test_a_record_that_is_too_late_is_dropped() -> None:
    made = session(5, "a|3|3|p", "b|14|6|p")
    made.query(5)
    made.query(10)
    assert as_answer(made.query(15), made.symbols) == {"s(p)=on": [(4, None)]}


def test_a_record_that_is_too_late_is_counted() -> None:
    made = session(5, "a|3|3|p", "b|14|6|p")
    for at in (5, 10, 15):
        made.query(at)
    assert (made.records.admission_counts.n_late, made.records.admission_counts.n_dropped) == (0, 1)


def test_an_exact_duplicate_is_the_same_record() -> None:
    twice = session(5, "a|3|3|p", "b|4|4|p")
    reading = Reading()
    read_text_records(["a|3|3|p", "b|4|4|p"], "records", twice.rules.compiled.names, 1, reading)
    twice.insert((4, fact) for fact in reading.facts())
    assert as_answer(twice.query(5), twice.symbols) == {"s(p)=on": [(4, 5)]}
