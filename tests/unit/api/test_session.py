"""A session: records are inserted in pieces, late, twice, and are retracted."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem, NoResultWarning, UsageProblem
from holdsfor.sources.inputs import listed_together
from holdsfor.syntax.printer import show

RULES = hf.load_text("""
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
terminatedAt(s(X)=on, T) :- happensAt(b(X), T).
happensAt(ended(X), T) :- happensAt(end(s(X)=on), T).
""")
INTERVALS = hf.load_text("""
collectIntervals(f(_)=_).
holdsFor(g(X)=true, I) :- holdsFor(f(X)=on, I).
""")


def session(window: int | None = 10, step: int | None = 5, start: int | None = 0) -> hf.Session:
    return hf.Session(RULES, window=window, step=step, start=start)


def a(time: int, name: str = "p") -> hf.Event:
    return hf.Event("a", name, at=time)


def b(time: int, name: str = "p") -> hf.Event:
    return hf.Event("b", name, at=time)


# -- records -----------------------------------------------------------------------------------------------------------


def test_records_of_every_kind_can_be_inserted_and_retracted(tmp_path: Path) -> None:
    file = tmp_path / "events.txt"
    file.write_text("a|3|3|p\n", encoding="utf-8")
    table = pa.table({"name": ["a"], "start": [3], "arg1": ["p"]})
    for records in (file, str(file), table, a(3), [a(3)], ("a|3|3|p",)):
        made = session()
        made.insert(records)
        assert made.query(5).holds_for("s(p)=on") == [(4, None)]
        made.retract(records)
        assert made.query(10).intervals == {}


def test_misfits_are_returned_with_their_reasons() -> None:
    done = session().insert(["a|3|3|p", "a|x|3|p", "zz|3|3|p"])
    assert (done.n_records, dict(done.unused)) == (3, {"zz": 1})
    assert [(each.line, each.reason) for each in done.set_aside] == [(2, "expected an integer as arrival, found `x`")]


def test_a_strict_session_refuses_a_misfit_and_inserts_no_record() -> None:
    made = hf.Session(RULES, window=10, start=0, strict=True)
    with pytest.raises(DataProblem, match=r"HF503.*record 2 does not fit"):
        made.insert(["a|3|3|p", "a|x|3|p"])
    assert made.query().intervals == {}


def test_inserted_retractions_retract_records() -> None:
    made = session()
    made.insert(["a|3|3|p", "a|3|3|q"])
    done = made.insert(["-a|4|3|q", "-a|4|3|r"])
    assert [each.reason for each in done.unmatched] == ["retracts a record that is not there"]
    assert made.query().holds_at(4) == ["s(p)=on"]


# -- retractions -------------------------------------------------------------------------------------------------------


def test_an_exact_duplicate_is_the_same_record() -> None:
    made = session()
    made.insert(a(3), a(3))
    made.insert(a(3))
    made.retract(a(3))
    made.insert(a(3))
    assert made.query().holds_for("s(p)=on") == [(4, None)]
    made.retract(a(3))
    assert made.query().intervals == {}
    with pytest.raises(DataProblem, match="HF506"):
        made.retract(a(3))


def test_a_missing_record_retracts_no_record() -> None:
    made = session()
    made.insert(a(3), b(4))
    with pytest.raises(DataProblem, match="`b\\(q\\)` at 4 not found"):
        made.retract(a(3), b(4, "q"))
    assert made.query().holds_for("s(p)=on") == [(4, 5)]


def test_a_late_record_is_retracted_before_the_next_query() -> None:
    made = session()
    made.query(10)
    made.insert(a(3), a(4, "q"))
    made.retract(a(3))
    assert made.insert(["-a|4|4|q"]).unmatched == []
    report = made.query(15)
    assert (report.intervals, report.unmatched) == ({}, 0)


def test_a_record_in_the_window_is_retracted_after_a_query() -> None:
    made = session()
    made.insert(a(3), b(6))
    assert made.query(10).holds_for("s(p)=on") == [(4, 7)]
    made.retract(b(6))
    report = made.query(15)
    assert report.holds_for("s(p)=on") == [(4, None)]
    assert (report.late, report.dropped) == (1, 0)
    assert [str(change) for change in report.changes] == [
        "extended s(p)=on (4,7) → (4,inf)",
        "retracted ended(p) 6",
    ]


def test_a_retraction_before_the_window_is_dropped_and_counted() -> None:
    made = session(window=10, step=10)
    made.insert(a(3), b(6))
    made.query(10)
    made.retract(b(6))
    report = made.query(20)
    assert (report.late, report.dropped, report.changes) == (0, 1, [])


def test_a_retraction_of_a_dropped_record_is_dropped_and_counted() -> None:
    made = session(window=10, step=10)
    made.insert(a(3), b(6))
    made.query(10)
    made.query(20)
    made.retract(b(6), b(7))
    report = made.query(30)
    assert (report.late, report.dropped, report.changes) == (0, 2, [])


def test_a_late_retraction_of_an_unseen_name_is_dropped_and_counted() -> None:
    made = session(window=10, step=10)
    made.insert(a(3))
    made.query(10)
    made.query(20)
    made.retract(b(6))
    assert made.query(30).dropped == 1


def test_a_retraction_removes_only_the_part_in_the_window() -> None:
    made = hf.Session(INTERVALS, window=10, step=5, start=0)
    record = hf.Fluent("f", "p", value="on", start=2, end=40)
    made.insert(record)
    made.query(5)
    made.query(15)
    made.retract(record)
    report = made.query(20)
    assert [str(change) for change in report.changes] == ["shortened g(p)=true (2,inf) → (2,11)"]
    assert report.intervals == {}


# -- query times -------------------------------------------------------------------------------------------------------


def test_a_record_does_not_arrive_before_the_query_time_after_its_insertion() -> None:
    made = session()
    made.query(5)
    made.query(10)
    made.insert(a(9), a(3, "q"), a(8, "r"))
    report = made.query(15)
    assert report.holds_at(15) == ["s(p)=on", "s(r)=on"]
    assert (report.late, report.dropped) == (2, 1)


def test_a_record_has_no_effect_before_its_arrival() -> None:
    made = session()
    made.insert(hf.Event("a", "p", at=3, arrival=8))
    assert made.query(5).intervals == {}
    report = made.query(10)
    assert report.holds_for("s(p)=on") == [(4, None)]
    assert report.late == 1


def test_a_later_query_time_is_reached_in_steps() -> None:
    near, far = session(), session()
    for made in (near, far):
        made.insert(a(3), b(14), a(22), b(38))
        made.query(5)
    reports = [near.query(at) for at in range(10, 45, 5)]
    report = far.query(40)
    assert report.intervals == reports[-1].intervals
    assert [str(change) for change in report.changes] == [
        "shortened s(p)=on (4,inf) → (4,15)",
        "added s(p)=on (23,39)",
        "added ended(p) 14",
        "added ended(p) 38",
    ]
    assert [str(change) for change in reports[-1].changes] == [
        "shortened s(p)=on (23,inf) → (23,39)",
        "added ended(p) 38",
    ]


def test_the_run_starts_with_the_first_record_by_default() -> None:
    made = session(start=None)
    with pytest.raises(UsageProblem, match=r"HF740.*no start and no record"):
        made.query()
    made.insert(a(1003), b(1000))
    assert (made.start, made.query().query_time, made.start) == (None, 1005, 1000)


def test_records_before_the_run_are_dropped() -> None:
    made = session(start=100)
    made.insert(a(99), a(100))
    assert made.query().dropped == 1


def test_a_query_may_have_its_own_window() -> None:
    made = session(window=20, step=5)
    made.insert(a(3), hf.Event("b", "p", at=12, arrival=22))
    made.query(5)
    made.query(20)
    assert made.query(25, window=10).holds_for("s(p)=on") == [(4, None)], "12 is before the window"
    made.insert(b(16))
    assert made.query(30, window=15).holds_for("s(p)=on") == [(4, 17)]


def test_a_window_cannot_reach_settled_time_points_or_miss_others() -> None:
    made = session(window=20, step=5)
    made.insert(a(3))
    made.query(5)
    made.query(25, window=10)
    with pytest.raises(UsageProblem, match=r"HF740.*begins at 10, but time up to 15 is settled"):
        made.query(30, window=20)
    with pytest.raises(UsageProblem, match=r"HF740.*misses time-points after the previous query time, 25"):
        made.query(30, window=4)
    with pytest.raises(UsageProblem, match="HF703"):
        made.query(30, window=0)
    assert made.query(30, window=15).query_time == 30
    made.insert(b(14))
    report = made.query(35)
    assert (report.holds_for("s(p)=on"), report.dropped) == ([(4, None)], 1)


def test_windows_of_all_lengths_settle_the_same_result() -> None:
    lines = [a(3), b(9), a(14), b(22), a(31), a(8, "q"), b(29, "q")]
    expected = hf.recognise(RULES, lines, start=0, end=40)
    made = session(window=20, step=5)
    made.insert(lines)
    known: dict[str, list[tuple[int, int | None]]] = {}
    for at, window in ((5, None), (10, 5), (15, 10), (20, 6), (25, 8), (30, 13), (35, 18), (40, 5)):
        for change in made.query(at, window=window).changes:
            if isinstance(change.new or change.old, tuple):
                spans = known.setdefault(change.name, [])
                spans[:] = [each for each in spans if each != change.old] + ([change.new] if change.new else [])  # type: ignore[list-item]
    assert {name: sorted(spans) for name, spans in known.items()} == {
        show(fvp): spans for fvp, spans in expected.intervals.items()
    }


def test_invalid_windows_are_refused() -> None:
    for window, step, message in ((5, 10, "longer"), (None, 10, "needs a window"), (0, None, "expected at least 1")):
        with pytest.raises(UsageProblem, match=f"HF703.*{message}"):
            session(window, step)
        with pytest.raises(UsageProblem, match=f"HF703.*{message}"):
            hf.recognise(RULES, a(3), window=window, step=step)
    with pytest.raises(UsageProblem, match="HF701"):
        hf.Session(RULES, window=10, tick=0)
    with pytest.raises(UsageProblem, match=r"HF740.*no next query time"):
        session(None, None).query()


def test_goals_are_proved_before_the_run() -> None:
    rules = hf.load_text("initiatedAt(s(X)=on, T) :- happensAt(a(X), T), limit(L), T > L.")
    made = hf.Session(rules, window=10, start=0, goals=["assertz(limit(3))"])
    made.insert(a(3), a(4, "q"))
    assert made.query().holds_at(9) == ["s(q)=on"]


# -- reports -----------------------------------------------------------------------------------------------------------


def test_a_report_has_a_text_form_and_a_table() -> None:
    made = session()
    made.insert(a(3), b(4))
    report = made.query()
    assert repr(report).splitlines() == [
        "Report at 5: 1 FVP, 1 event, 2 changes",
        "  s(p)=on  [(4,5)]",
        "  ended(p)  [4]",
    ]
    assert "<caption>at 5: 1 FVP, 1 event, 2 changes</caption>" in report._repr_html_()
    assert report.to_arrow().num_rows == 2
    assert report.happens_at("ended(p)") == [4]
    assert repr(made) == "<Session over windows of 10, queried at 5, 2 records>"


# -- entities ----------------------------------------------------------------------------------------------------------

DOMAINS = hf.load_text("""
dynamicDomain(d(_)). grounding(a(X)) :- d(X). grounding(s(X)=on) :- d(X). grounding(s(X)=off) :- d(X).
grounding(idle(X)=true) :- d(X).
initially(s(X)=off).
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
initiatedAt(s(X)=off, T) :- happensAt(all_off, T).
initiatedAt(s(X)=on, T) :- happensAt(all_on, T).
holdsFor(idle(X)=true, J) :- holdsFor(s(X)=on, I), complement_all([I], J).
""")


def test_an_entity_that_is_first_seen_late_has_its_initial_values_from_the_start() -> None:
    made = hf.Session(DOMAINS, window=10, start=0)
    made.insert(a(3))
    made.query(10)
    made.query(20)
    made.insert(a(25, "late"))
    report = made.query(30)
    assert report.new_member == 1
    assert report.holds_for("s(late)=off") == [(0, 26)]
    assert report.holds_for("idle(late)=true") == [(0, 26)]
    assert report.holds_for("idle(p)=true") == []


def test_an_entity_that_is_first_seen_late_has_the_effects_that_are_not_settled() -> None:
    made = hf.Session(DOMAINS, window=20, step=10, start=0)
    made.insert(a(3), hf.Event("all_on", at=5), hf.Event("all_on", at=15))
    made.query(10)
    made.query(20)
    made.insert(a(25, "late"))
    report = made.query(30)
    assert report.holds_for("s(late)=on") == [(16, None)]
    assert report.holds_for("s(late)=off") == [(0, 16)]


def test_a_record_that_is_dropped_still_mentions_its_entity() -> None:
    made = hf.Session(DOMAINS, window=10, start=0)
    made.insert(a(3))
    assert made.query(10).new_member == 0
    made.query(20)
    made.insert(a(5, "late"))
    report = made.query(30)
    assert (report.dropped, report.new_member, report.holds_for("s(late)=off")) == (1, 1, [(0, None)])


def test_an_entity_is_unknown_again_when_its_only_record_is_retracted() -> None:
    made = hf.Session(DOMAINS, window=20, step=10, start=0)
    made.insert(a(3), a(4, "q"))
    assert made.query(10).holds_for("s(p)=off") == [(0, 4)]
    made.retract(a(3))
    report = made.query(20)
    assert report.holds_for("s(p)=off") == report.holds_for("idle(p)=true") == []
    assert report.holds_for("s(q)=off") == report.holds_for("idle(q)=true") == [(0, 5)]
    made.insert(a(15))
    assert made.query(30).holds_for("s(p)=off") == [(0, 16)]


def test_an_entity_stays_known_while_another_record_mentions_it() -> None:
    for other in (12, 2):
        made = hf.Session(DOMAINS, window=30, step=10, start=0)
        made.insert(a(3), a(other))
        made.query(20)
        made.retract(a(3))
        assert made.query(21).holds_for("s(p)=off") == [(0, other + 1)]


def test_an_entity_of_a_dropped_record_stays_known() -> None:
    made = hf.Session(DOMAINS, window=10, start=0)
    made.insert(a(3), *(a(at, "q") for at in range(3)))
    for at in (10, 20, 30, 40):
        made.query(at)
    made.insert(a(42))
    made.query(45)
    made.retract(a(42))
    made.insert(hf.Event("all_off", at=47))
    assert made.query(50).holds_for("s(p)=off") == [(48, None)]


def test_an_entity_inserted_again_has_its_initial_values_from_the_start() -> None:
    made = hf.Session(DOMAINS, window=10, start=0)
    made.insert(hf.Event("all_on", at=2))
    made.query(10)
    made.query(20)
    made.insert(a(25, "late"))
    made.query(30)
    assert made.query(31).holds_for("idle(late)=true") == [(0, 26)]
    made.retract(a(25, "late"))
    assert made.query(32).intervals == {}
    made.insert(a(33, "late"))
    report = made.query(34)
    assert report.holds_for("s(late)=off") == report.holds_for("idle(late)=true") == [(0, 34)]


def test_a_variable_ranges_over_its_sort_without_retracted_constants() -> None:
    rules = hf.load_text("""
    initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
    holdsFor(idle(X)=true, J) :- holdsFor(s(X)=on, I), complement_all([I], J).
    """)
    made = hf.Session(rules, window=30, step=10, start=0)
    made.insert(a(3), a(4, "q"))
    assert made.query(10).holds_for("idle(p)=true") == [(0, 4)]
    made.retract(a(3))
    report = made.query(20)
    assert (report.holds_for("idle(p)=true"), report.holds_for("idle(q)=true")) == ([], [(0, 5)])


def test_rules_see_each_query_time() -> None:
    rules = hf.load_text("happensAt(known(X, Q), T) :- happensAt(a(X), T), queryTime(Q).\n")
    asked = hf.Session(rules, start=0, window=10)
    for at in (5, 15, 25):
        asked.insert(hf.Event("a", "p", at=at))
    known = [list(asked.query(at).times) for at in (10, 20, 30)]
    assert [[show(event) for event in events] for events in known] == [
        ["known(p,10)"],
        ["known(p,20)"],
        ["known(p,30)"],
    ]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda each: each.__name__)
def test_a_session_is_neither_copied_nor_pickled(duplicate: Callable[[object], object]) -> None:
    one = session()
    with pytest.raises(TypeError, match=r"cannot be copied or pickled: save it"):
        duplicate(one)
    with pytest.raises(TypeError, match=r"cannot be copied or pickled"):
        duplicate(one._engine)


def test_a_restored_session_names_a_condition_without_a_result_again() -> None:
    rules = hf.load_text("""
    happensAt(fast(V), T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
    happensAt(silent(V), T) :- happensAt(speed(V, unknown), T).
    """)
    session = hf.Session(rules, start=0, window=20)
    session.insert(["speed|3|3|b1|60", "speed|4|4|b1|unknown"])
    for each in (session, hf.Session.restore(session.snapshot(), rules)):
        with pytest.warns(NoResultWarning, match="expected a number, found `unknown`"):
            assert each.query(10).happens_at("silent(b1)") == [4]


def test_consecutive_records_are_read_as_one_table() -> None:
    given = [a(1), b(2), ["a|6|6|q"], b(9)]
    assert list(listed_together(given)) == [[a(1), b(2)], ["a|6|6|q"], [b(9)]]
    assert session().insert(a(1), b(2), ["a|6|6|q"], b(9)).n_records == 4
