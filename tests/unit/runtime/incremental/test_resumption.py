"""Query times that evaluate what changed: the keys that are evaluated again, and when the whole window is evaluated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.physical.profile import Profile
from holdsfor.runtime.incremental import corrections, resumption
from holdsfor.runtime.incremental.corrections import _Stretches
from holdsfor.runtime.incremental.cost import MeasuredCost
from holdsfor.runtime.incremental.key_stages import KeyStage, key_stages
from holdsfor.runtime.incremental.resumption import _Advance
from holdsfor.runtime.incremental.stage_evaluations import StageEvaluations
from holdsfor.runtime.reports.changes import changes_since
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show

STAGED = """
collectIntervals(near(_, _)=true).
initiatedAt(stopped(X)=true, T) :- happensAt(stop(X), T).
terminatedAt(stopped(X)=true, T) :- happensAt(go(X), T).
holdsFor(long_stop(X)=true, J) :- holdsFor(stopped(X)=true, I), intDurGreater(I, 8, J).
holdsFor(meeting(X, Y)=true, K) :-
    holdsFor(near(X, Y)=true, N), holdsFor(stopped(X)=true, I), holdsFor(stopped(Y)=true, J),
    intersect_all([N, I, J], K).
"""


def session_of(text: str, **more: Any) -> EngineSession:
    return EngineSession(compile_text(text), start=0, window=100, incremental="on", **more)


def insert(session: EngineSession, *lines: str) -> None:
    reading = Reading()
    read_text_records(list(lines), "records", session.rules.compiled.names, session.tick, reading)
    assert not reading.set_aside
    session.insert((int(line.split("|")[1]), fact) for line, fact in zip(lines, reading.facts(), strict=True))


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str] | None]]:
    """The number of components of each stage in which keys are evaluated again, with these keys."""
    found: list[tuple[int, list[str] | None]] = []
    whole, in_stretches = _Advance.evaluation_of, _Stretches.evaluate

    def note(at: StageEvaluations, stage: KeyStage, keys: Any) -> None:
        symbols = at.evaluation.symbols
        found.append((len(stage.components), None if keys is None else sorted(map(show, symbols.terms(keys)))))

    def noted(self: _Advance, stage: KeyStage, keys: Any) -> Any:
        note(self, stage, keys)
        return whole(self, stage, keys)

    def noted_too(self: _Stretches, replaced: Any) -> Any:
        note(self.at, self.stage, self.keys)
        return in_stretches(self, replaced)

    monkeypatch.setattr(_Advance, "evaluation_of", noted)
    monkeypatch.setattr(_Stretches, "evaluate", noted_too)
    return found


def test_components_over_whole_intervals_are_a_stage_of_their_own() -> None:
    rules = session_of(STAGED).rules
    stages = key_stages(rules)
    names = [sorted(key[0] for _, key in stage.results) for stage in stages]
    assert names == [["stopped"], ["long_stop"], ["meeting"]]
    assert all(stage.is_keyed for stage in stages)
    assert [bool(stage.deciding) for stage in stages] == [False, True, False]


def test_a_late_record_touches_its_key_alone(evaluated: list[tuple[int, list[str] | None]]) -> None:
    session = session_of(STAGED)
    insert(session, *(f"stop|{time}|{time}|v{time}" for time in range(1, 9)))
    session.query(10)
    insert(session, "go|15|5|v3")
    report = session.query(20)
    assert session.n_resumed == 1
    assert [keys for _, keys in evaluated] == [["v3"], ["v3"], ["v3"]]
    found = {show(fvp): spans for fvp, spans in report.intervals(session.symbols).items()}
    assert found.pop("stopped(v3)=true") == [(4, 6)]
    assert len([name for name in found if name.startswith("stopped")]) == 7


def test_results_that_stay_the_same_touch_no_later_stage(evaluated: list[tuple[int, list[str] | None]]) -> None:
    session = session_of(STAGED)
    insert(session, *(f"stop|{time}|{time}|v{time}" for time in range(1, 9)))
    session.query(10)
    insert(session, "stop|15|6|v3")  # v3 has stopped before
    session.query(20)
    assert [keys for _, keys in evaluated] == [["v3"]]


def test_a_partner_that_changes_touches_the_owner_of_the_pair(evaluated: list[tuple[int, list[str] | None]]) -> None:
    session = session_of(STAGED)
    insert(session, "stop|1|1|a", "stop|2|2|b", "near|1|1|90|true|a|b", "stop|3|3|c")
    session.query(10)
    insert(session, "go|15|5|b")
    report = session.query(20)
    assert [keys for _, keys in evaluated] == [["b"], ["b"], ["a", "b"]]
    found = {show(fvp): spans for fvp, spans in report.intervals(session.symbols).items()}
    assert found["meeting(a,b)=true"] == [(3, 6)]


def test_query_times_without_late_records_evaluate_no_key_again(evaluated: list[tuple[int, list[str] | None]]) -> None:
    session = session_of(STAGED)
    for at in range(10, 200, 10):
        insert(session, f"stop|{at - 5}|{at - 5}|v{at}")
        session.query(at)
    assert session.n_resumed == 18
    assert evaluated == []


def test_query_times_are_not_resumed_with_more_memory_than_allowed() -> None:
    reports = []
    for memory in (100, 10_000):
        session = session_of(STAGED, incremental_memory=memory)
        for at in range(10, 60, 10):
            insert(session, *(f"stop|{at - 5}|{at - 5 - i}|v{at}{i}" for i in range(3)))
            reports.append(session.query(at).intervals(session.symbols))
        is_enough = memory == 10_000
        assert (session.n_resumed, session.n_over_memory) == ((4, 0) if is_enough else (0, 4))
        assert (0 < session.kept_bytes <= memory) == is_enough
    assert reports[:5] == reports[5:]


@pytest.fixture
def active(monkeypatch: pytest.MonkeyPatch) -> list[list[str] | None]:
    """The keys that each stage evaluates from its resumption point on."""
    found: list[list[str] | None] = []
    original = _Advance.recent_evaluation

    def noted(self: _Advance, before: Any, keys: Any, *tables: Any) -> Any:
        found.append(None if keys is None else sorted(map(show, self.evaluation.symbols.terms(keys))))
        return original(self, before, keys, *tables)

    monkeypatch.setattr(_Advance, "recent_evaluation", noted)
    return found


def test_only_keys_with_changes_are_evaluated(active: list[list[str] | None]) -> None:
    session = session_of(STAGED)
    insert(session, *(f"stop|{time}|{time}|v{time}" for time in range(1, 7)), "go|7|7|v6")
    session.query(30)
    insert(session, "go|35|35|v3")
    report = session.query(40)
    assert active == [["v3"], ["v3"], ["v3"]]
    found = {show(fvp): spans for fvp, spans in report.intervals(session.symbols).items()}
    assert found["stopped(v3)=true"] == found["long_stop(v3)=true"] == [(4, 36)]
    assert found["stopped(v2)=true"] == found["long_stop(v2)=true"] == [(3, None)]


def test_a_key_with_an_effect_that_is_due_is_evaluated(active: list[list[str] | None]) -> None:
    session = session_of("initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).\nfi(lit(X)=true, lit(X)=false, 15).")
    insert(session, "on|3|3|a", "on|9|9|b")
    session.query(10)
    found = {show(fvp): spans for fvp, spans in session.query(20).intervals(session.symbols).items()}
    assert active == [["a"]]
    assert found["lit(a)=true"] == [(4, 19)]
    assert session.next_change() == 24
    found = {show(fvp): spans for fvp, spans in session.query(30).intervals(session.symbols).items()}
    assert active == [["a"], ["b"]]
    assert found["lit(b)=true"] == [(10, 25)]
    assert session.next_change() is None


def test_an_open_interval_is_evaluated_when_it_becomes_long_enough(active: list[list[str] | None]) -> None:
    session = session_of(STAGED)
    insert(session, "stop|1|1|a", "stop|15|15|b")
    session.query(20)
    while (at := session.next_change()) is not None and at < 100:
        report = session.query(at)
    found = {show(fvp): spans for fvp, spans in report.intervals(session.symbols).items()}
    assert found["long_stop(a)=true"] == [(2, None)]
    assert found["long_stop(b)=true"] == [(16, None)]
    assert active == [["b"], ["b"]]  # at the time-point before, and when it is long enough


def test_the_resumption_point_moves_after_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumption, "_FEW_ROWS", 3)
    session, points = session_of(STAGED), []
    insert(session, "stop|1|1|a")
    session.query(10)
    for at in range(11, 23):
        insert(session, f"stop|{at}|{at}|v{at}")
        session.query(at)
        assert session._resumption is not None
        points.append(session._resumption.stages[0].point)
    assert points == [10, 10, 10, 14, 14, 14, 14, 18, 18, 18, 18, 22]


def test_results_before_the_window_are_not_kept() -> None:
    session = session_of(STAGED)
    sizes: list[int] = []
    for at in range(10, 2_000, 10):
        insert(session, f"stop|{at - 5}|{at - 5}|v{at % 50}", f"go|{at - 2}|{at - 2}|v{at % 50}")
        session.query(at)
        assert session._resumption is None or session._known is not None
        if session._resumption is not None:
            sizes.append(sum(table.n for table in session._resumption.results.fluents.values()))
    assert session.n_resumed > 100
    assert max(sizes[100:]) <= 2 * max(sizes[20:60])


def test_a_query_time_after_skipped_ones_does_not_resume_from_before_its_window() -> None:
    text = "initiatedAt(stopped(X)=true, T) :- happensAt(stop(X), T). happensAt(seen(X), T) :- happensAt(stop(X), T)."
    session = session_of(text)
    for at, lines in ((100, ["stop|90|90|a"]), (700, ["stop|690|690|b"]), (1400, []), (1500, [])):
        insert(session, *lines)
        session.skip_to(at - 50)
        report = session.query(at)
    (stopped,) = report.fluents.values()
    assert stopped.n == 2
    assert not report.events
    assert session.n_resumed == 1


def test_instances_of_complements_are_kept_once() -> None:
    text = """
    thing(a). thing(b).
    initiatedAt(in(X)=true, T) :- happensAt(enter(X), T).
    terminatedAt(in(X)=true, T) :- happensAt(leave(X), T).
    holdsFor(out(X)=true, J) :- holdsFor(in(X)=true, I), complement_all([I], J).
    holdsFor(quiet=true, J) :- holdsFor(in(a)=true, I), complement_all([I], J).
    grounding(in(X)=true) :- thing(X).
    grounding(out(X)=true) :- thing(X).
    """
    session = session_of(text)
    for at in range(10, 200, 10):
        insert(session, f"enter|{at - 5}|{at - 5}|a", f"leave|{at}|{at - 9}|b")
        session.query(at)
    assert session.n_resumed > 10
    assert session._resumption is not None
    for stage in session._resumption.stages:
        assert all(instances.n <= 2 for instances in stage.state.complements.values())


@pytest.mark.parametrize("bound", [4, 12])
@pytest.mark.parametrize("literal", ["(3, 7), (9, inf)", "(9, 16), (20, inf)", "(3, 16)"])
def test_a_literal_interval_is_measured_when_it_begins_after_a_query_time(literal: str, bound: int) -> None:
    text = f"""
    points(on(_)=true). part(a).
    holdsFor(long(X)=true, L) :- holdsFor(on(X)=true, I), union_all([I, [{literal}]], J), intDurGreater(J, {bound}, L).
    grounding(long(X)=true) :- part(X).
    """

    def reports(incremental: Literal["on", "off"]) -> list[dict[str, Any]]:
        session = EngineSession(compile_text(text), start=0, window=14, incremental=incremental)
        found = []
        for at in range(7, 50, 7):
            insert(session, f"on|{at}|{at - 1}|true|b")
            known = session.query(at).intervals(session.symbols)
            found.append({show(fvp): intervals for fvp, intervals in known.items()})
        assert (session.n_resumed > 2) == (incremental == "on")
        return found

    assert reports("on") == reports("off")


def test_changes_are_found_among_the_rows_that_a_query_time_replaces() -> None:
    session = session_of(STAGED)
    insert(session, *(f"stop|{time}|{time}|v{time}" for time in range(1, 9)))
    session.query(10)
    insert(session, "go|15|5|v3", "stop|18|18|v9")
    before, report = session.last_report(), session.query(20)
    assert before is not None
    assert report.replaced is not None
    assert report.replaced.previous is before.identity
    assert report.replaced.added.n_intervals < report.n_intervals
    found = [changes_since(before, each, session.frontier) for each in (report, replace(report, replaced=None))]
    quick, slow = ((each.gone.intervals(session.symbols), each.come.intervals(session.symbols)) for each in found)
    assert quick == slow
    assert {"stopped(v3)=true", "stopped(v9)=true"} == {name for name in map(show, quick[1]) if name[:4] == "stop"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("holdsFor(f(X)=true, J) :- holdsFor(near(X, _)=true, I), trim(I, J).", "near|15|15|30|true|a|b"),
        ("happensAt(late(X), T) :- happensAt(stop(X), T), queryTime(Q), T < Q.", "stop|15|15|a"),
    ],
    ids=["interval-wise predicates", "query time"],
)
def test_some_rules_are_always_evaluated_over_the_whole_window(text: str, line: str) -> None:
    wise = ":- intervalwise(trim/2).\ntrim([(S, E)], [(S, E)]).\n"
    session = session_of(f"collectIntervals(near(_, _)=true).\n{wise}{text}")
    insert(session, line)
    for at in (20, 30, 40):
        session.query(at)
    assert session.n_resumed == 0


def test_keys_of_a_cut_interval_are_evaluated_again_while_it_is_in_the_window(
    evaluated: list[tuple[int, list[str] | None]],
) -> None:
    text = f"{STAGED}happensAt(met(X, Y), T) :- happensAt(start(meeting(X, Y)=true), T)."
    session = EngineSession(compile_text(text), start=0, window=20, incremental="on")
    insert(session, "stop|1|1|a", "stop|2|2|b", "stop|3|3|c")
    for at in (10, 20, 30):
        session.query(at)
    insert(session, "near|35|5|45|true|a|b")
    report = session.query(40)
    assert (session.records.admission_counts.n_cut, session.n_resumed) == (1, 3)
    assert evaluated[-1] == (2, ["a"])
    assert report.intervals(session.symbols)[parse_term("meeting(a,b)=true")] == [(21, None)]
    assert not report.events  # a cut is not a start
    for at in range(50, 100, 10):
        evaluated.clear()
        session.query(at)
    assert evaluated == []


@pytest.mark.parametrize(
    ("rule", "n_resumed"),
    [("", 9), ("initially(idle(X)=true) :- thing(X).\ngrounding(idle(X)=true) :- thing(X).", 0)],
    ids=["only in groundings", "initial values"],
)
def test_new_members_of_domains_are_no_reason_to_evaluate_a_whole_window_unless_rules_need_them(
    rule: str, n_resumed: int
) -> None:
    text = f"""
    dynamicDomain(thing(_)).
    collectGrounds([stop(X), go(X)], thing(X)).
    initiatedAt(stopped(X)=true, T) :- happensAt(stop(X), T).
    terminatedAt(stopped(X)=true, T) :- happensAt(go(X), T).
    grounding(stopped(X)=true) :- thing(X).
    {rule}
    """
    session = session_of(text)
    for at in range(10, 110, 10):
        insert(session, f"stop|{at - 5}|{at - 5}|v{at}")
        report = session.query(at)
    assert session.n_resumed == n_resumed
    assert report.fluents["stopped", 1].n == 10


def test_few_records_are_evaluated_over_the_whole_window_by_default() -> None:
    session = EngineSession(compile_text(STAGED), start=0, window=100)
    insert(session, "stop|1|1|a")
    for at in (10, 20, 30):
        session.query(at)
    assert session.n_resumed == 0


def test_attempts_that_cost_more_than_a_whole_evaluation_are_rare() -> None:
    cost = MeasuredCost()
    assert not cost.allows_resumption(1_000)  # no whole evaluation was measured
    cost.note_whole(1.0, 1_000)
    assert cost.allows_resumption(1_000)
    cost.note_resumed(0.9, 1_000)
    assert cost.allows_resumption(1_000)
    cost.note_resumed(1.1, 1_000)
    assert cost.allows_resumption(1_000)  # one slow query time may have another reason
    cost.note_resumed(1.1, 1_000)
    assert [cost.allows_resumption(1_000) for _ in range(16)] == [False] * 15 + [True]
    cost.note_resumed(1.1, 1_000)
    assert [cost.allows_resumption(1_000) for _ in range(16)] == [False] * 15 + [True]
    assert not cost.allows_resumption(2_000)  # the window has grown
    cost.note_whole(1.5, 2_000)
    assert cost.allows_resumption(2_000)


@pytest.mark.parametrize(
    ("late", "stretches"), [("stop|105|13|v", [0]), ("go|105|13|v", [0, 20]), ("stop|105|41|v", [40])]
)
def test_a_late_record_is_evaluated_where_it_changes_what_holds(
    late: str, stretches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vehicle stops again and again, and goes on at 39 and at 61; stretches have 20 time-points."""
    monkeypatch.setattr(corrections._Stretches, "marks", lambda self: [0, 20, 40, 60, 80, self.before.point])
    found: list[int] = []
    original = corrections._Stretches.evaluated

    def noted(self: _Stretches, mark: int, *more: Any) -> Any:
        found.extend([mark] if (True, ("stopped", 1)) in self.stage.results else [])
        return original(self, mark, *more)

    monkeypatch.setattr(corrections._Stretches, "evaluated", noted)
    sessions = [session_of(STAGED), EngineSession(compile_text(STAGED), start=0, window=100, incremental="off")]
    for session in sessions:
        insert(session, *(f"stop|{time}|{time}|v" for time in (1, 11, 21, 31, 41, 51, 71)), "go|39|39|v", "go|61|61|v")
        session.query(100)
        insert(session, late)
    resumed, whole = (session.query(110).fluents["stopped", 1] for session in sessions)
    assert found == stretches
    assert sorted(zip(resumed.starts, resumed.ends, strict=True)) == sorted(zip(whole.starts, whole.ends, strict=True))


def test_a_profile_counts_the_components_of_query_times_that_evaluate_what_changed() -> None:
    session = session_of(STAGED)
    profile = session.profile = Profile()
    insert(session, *(f"stop|{t}|{t}|v{t}" for t in range(1, 40)))
    session.query(40)
    calls = {each.number: profile.of(("component", each.number)).calls for each in session.rules.program.components}
    insert(session, "go|50|50|v1")
    session.query(60)
    assert session.n_resumed == 1
    assert all(profile.of(("component", number)).calls > before for number, before in calls.items())
