"""Input intervals that arrive when part of them is before the window: no false start, true lengths, nothing settled."""

from __future__ import annotations

import pytest

import holdsfor as hf
from holdsfor.columns.query_times import QueryTimes
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import busy_query_times
from holdsfor.sources.text_records import Reading, read_text_records

RULES = """
collectIntervals(f(_)=true). collectIntervals(g(_)=true).
happensAt(began(X), T) :- happensAt(start(f(X)=true), T).
happensAt(began_at(X), T) :- happensAt(startI(f(X)=true), T).
happensAt(ended(X), T) :- happensAt(end(f(X)=true), T).
holdsFor(copy(X)=true, I) :- holdsFor(f(X)=true, I).
holdsFor(either(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, J), union_all([I, J], K).
holdsFor(both(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, J), intersect_all([I, J], K).
holdsFor(long(X)=true, J) :- holdsFor(f(X)=true, I), intDurGreater(I, 30, J).
holdsFor(short(X)=true, J) :- holdsFor(f(X)=true, I), intDurLess(I, 30, J).
holdsFor(started(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, J), allen(starts, I, J, target, K).
holdsFor(overlapped(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, J), allen(overlaps, I, J, target, K).
holdsFor(overlapping(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, J), overlaps(J, I, target, K).
holdsFor(contained(X)=true, K) :- holdsFor(f(X)=true, I), holdsFor(g(X)=true, J), contains(I, J, target, K).
holdsFor(whole_day(X)=true, J) :- holdsFor(f(X)=true, I), intDurGreater(I, 120, J).
holdsFor(longest(X)=true, J) :- holdsFor(f(X)=true, I), intDurGreater(I, 40, J).
holdsFor(long_copy(X)=true, J) :- holdsFor(copy(X)=true, I), intDurGreater(I, 30, J).
""" + "".join(
    f"happensAt({name}_began(X), T) :- happensAt(start({name}(X)=true), T).\n"
    for name in ("copy", "either", "both", "long", "short", "overlapped")
)
COMPILED = hf.load_text(RULES)


def answers(*lines: str, window: int = 20, step: int = 10, end: int = 80) -> hf.Result:
    """The answer in merged and in real windows, which must be equal."""
    given = {"start": 0, "end": end, "window": window, "step": step}
    merged, real = (
        hf.recognise(COMPILED, list(lines), merge_windows=merge, **given)  # type: ignore[arg-type]
        for merge in (True, False)
    )
    assert (real.intervals, real.times, real.cut) == (merged.intervals, merged.times, merged.cut)
    return real


def test_a_cut_interval_has_no_start_nor_have_intervals_derived_from_it() -> None:
    # f arrives at 48, is seen at 50, and the window begins after 30.
    result = answers("f|48|12|49|true|p")
    assert result.cut == 1
    assert result.holds_for("copy(p)=true") == [(31, 49)]
    assert result.holds_for("either(p)=true") == [(31, 49)]
    assert result.happens_at("ended(p)") == [48]
    for name in ("began", "began_at", "copy_began", "either_began", "long_began"):
        assert result.happens_at(f"{name}(p)") == [], name


def test_a_duration_of_the_input_fluent_counts_from_the_true_start() -> None:
    result = answers("f|48|12|49|true|p")
    assert result.holds_for("long(p)=true") == [(31, 49)]
    assert result.holds_for("short(p)=true") == []
    assert result.holds_for("long_copy(p)=true") == []


def test_an_open_interval_that_is_cut_becomes_long_in_time() -> None:
    result = answers("f|41|25|79|true|p", end=80)
    assert result.holds_for("long(p)=true") == [(31, 79)]
    session = hf.Session(COMPILED, start=0, window=20, step=10)
    session.insert(["f|41|25|79|true|p"])
    spans = [session.query().holds_for("long(p)=true") for _ in range(8)]
    assert spans == [[], [], [], [], [], [(31, None)], [(31, None)], [(31, 79)]]


def test_the_query_time_at_which_a_cut_interval_becomes_long_is_evaluated() -> None:
    session, reading = EngineSession(COMPILED, start=0, end=300, window=20), Reading()
    read_text_records(["f|48|25|200|true|p"], "records", COMPILED.names, 1, reading)
    session.insert((48, fact) for fact in reading.facts())
    long = []
    for at in busy_query_times(session, QueryTimes(0, 300, 1, 20), 60):
        if ("long", 1) in session.query(at).fluents:
            long.append(at)
    # The true start is 25, so f is longer than 30 when its time-points up to 55 are known.
    assert long[0] == 55


def test_an_interval_with_its_true_start_at_the_edge_starts() -> None:
    result = answers("f|48|12|49|true|p", "g|31|31|60|true|p")
    assert result.holds_for("both(p)=true") == [(31, 49)]
    assert result.happens_at("both_began(p)") == [30]
    assert result.happens_at("either_began(p)") == []


def test_nothing_that_is_settled_changes() -> None:
    result = answers("f|5|5|20|true|p", "f|48|12|49|true|p", "f|48|31|40|true|q")
    assert result.holds_for("copy(p)=true") == [(5, 20), (31, 49)]
    assert result.happens_at("began(p)") == [4]
    assert result.happens_at("began(q)") == [30]
    assert result.holds_for("short(p)=true") == [(5, 20)]


def test_relations_compare_the_true_start() -> None:
    result = answers("f|48|12|49|true|p", "g|31|31|60|true|p", "f|48|12|49|true|q", "g|35|35|60|true|q")
    assert result.holds_for("started(p)=true") == []
    assert result.holds_for("overlapped(p)=true") == [(31, 60)]
    assert result.holds_for("overlapped(q)=true") == [(35, 60)]
    assert result.happens_at("overlapped_began(p)") == [30]


def test_a_relation_with_a_cut_interval_shows_from_its_edge_on() -> None:
    # g began before the edge of f, 31: earlier time-points are settled, and g only continues there.
    result = answers("f|48|12|49|true|p", "g|25|25|60|true|p")
    assert result.holds_for("overlapped(p)=true") == [(31, 60)]
    assert result.happens_at("overlapped_began(p)") == []
    result = answers("f|48|20|49|true|p", "g|20|20|60|true|p")
    assert result.holds_for("started(p)=true") == [(31, 60)]


def test_an_interval_that_ends_by_the_edge_forms_no_pair_with_a_cut_one() -> None:
    for end, expected in ((30, []), (31, []), (32, [(31, 49)])):
        result = answers(f"g|5|5|{end}|true|p", "f|48|12|49|true|p")
        assert result.holds_for("overlapping(p)=true") == expected, end


def test_of_two_cut_intervals_the_later_edge_counts() -> None:
    # f is seen at 50 from 31 on, g at 60 from 41 on.
    result = answers("f|48|12|49|true|p", "g|58|20|70|true|p")
    assert result.holds_for("overlapped(p)=true") == [(41, 70)]
    result = answers("f|48|12|41|true|p", "g|58|20|70|true|p")
    assert result.holds_for("overlapped(p)=true") == []


def test_true_starts_outlast_the_record_that_is_cut() -> None:
    # The second record continues where the first ends, and the first is dropped long before the interval ends.
    lines = ["f|48|12|45|true|p", "f|45|45|140|true|p", "g|100|100|180|true|p", "g|35|35|150|true|q"]
    lines += ["f|48|12|45|true|q", "f|45|45|170|true|q"]
    result = answers(*lines, end=200)
    assert result.holds_for("overlapped(p)=true") == [(100, 180)]
    assert result.holds_for("contained(q)=true") == [(35, 150)]
    assert result.holds_for("whole_day(p)=true") == [(31, 140)]


def test_a_cut_record_does_not_reach_further_back_because_of_one_that_is_settled() -> None:
    # No record covers the time between 8 and 31; the true start of f is that of the record that is cut.
    result = answers("f|2|2|8|true|p", "f|48|7|45|true|p")
    assert result.holds_for("longest(p)=true") == []
    assert result.holds_for("long(p)=true") == [(31, 45)]


def test_a_record_without_a_time_point_in_the_window_is_no_earlier_start() -> None:
    # The window begins after 55: its first time-point is 60, where the second record has ended.
    lines = ["f|80|60|75|true|p", "f|80|35|60|true|p"]
    given = {"start": 0, "end": 80, "window": 25, "step": 10, "tick": 5}
    for merge in (True, False):
        result = hf.recognise(COMPILED, lines, merge_windows=merge, **given)  # type: ignore[arg-type]
        assert result.holds_for("copy(p)=true") == [(60, 75)]
        assert result.holds_for("long(p)=true") == []
        assert result.happens_at("began_at(p)") == [60]


def test_relations_of_cut_intervals_need_no_growing_memory() -> None:
    session, reading = EngineSession(COMPILED, start=0, end=3000, window=20), Reading()
    lines = ["f|48|12|2900|true|p", *(f"g|{t}|{t}|{t + 3}|true|p" for t in range(60, 2800, 10))]
    read_text_records(lines, "records", COMPILED.names, 1, reading)
    session.insert((48 if fact.start == 12 else fact.start, fact) for fact in reading.facts())
    kept = []
    for at in range(10, 1000, 10):
        session.query(at)
        kept.append(session.n_kept_for_allen)
    assert max(kept) < 60


@pytest.mark.parametrize("tick", [1, 5])
def test_ticks_and_edges(tick: int) -> None:
    given = {"start": 0, "end": 16 * tick, "window": 4 * tick, "step": 2 * tick, "tick": tick}
    for start in range(9):
        line = f"f|{11 * tick}|{start * tick}|{14 * tick}|true|p"
        merged, real = (
            hf.recognise(COMPILED, [line], merge_windows=merge, **given)  # type: ignore[arg-type]
            for merge in (True, False)
        )
        # f is seen at 12, and the window begins after 8.
        assert (merged.times, merged.intervals) == (real.times, real.intervals)
        assert real.happens_at("began(p)") == ([8 * tick] if start == 9 else [])
        assert real.holds_for("copy(p)=true") == [(9 * tick, 14 * tick)]
        assert real.cut == 1
