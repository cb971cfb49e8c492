"""When a query time of a stream is due: slow, missing and idle sources, the wall clock, a clock that is set back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.sources.ahead import MaxAhead
from holdsfor.spark.streaming.decisions import Decision, DecisionLog, Pace, Seen, check_idle
from holdsfor.spark.streaming.state_files import StreamFiles

NEW = Decision(-1)


def seen(**sources: int) -> dict[str, Seen]:
    """The latest arrivals of sources; `s0_1` is the source `0/1`."""
    return {name.removeprefix("s").replace("_", "/"): Seen(at, at, at) for name, at in sources.items()}


def test_the_slowest_source_decides() -> None:
    pace = Pace(0, 10)
    first = pace.decided(NEW, 0, seen(s0_a=35, s0_b=12), 0.0)
    assert (first.previous, first.last) == (None, 10)
    second = pace.decided(first, 1, seen(s0_b=31), 1.0)
    assert (second.previous, second.last) == (10, 30)
    assert not pace.decided(second, 2, seen(s0_a=90), 2.0).is_due


def test_an_arrival_at_the_query_time_does_not_pass_it() -> None:
    assert Pace(0, 10).decided(NEW, 0, seen(s0=10), 0.0).last is None
    assert Pace(0, 10).decided(NEW, 0, seen(s0=11), 0.0).last == 10


def test_an_input_without_a_record_is_waited_for() -> None:
    pace = Pace(0, 10, n_inputs=2)
    first = pace.decided(NEW, 0, seen(s0=55), 0.0)
    assert (first.last, first.missing, first.reached) == (None, ("1",), None)
    second = pace.decided(first, 1, seen(s1_east=21), 1.0)
    assert (second.last, second.missing) == (20, ())


def test_an_idle_source_is_not_waited_for_until_it_delivers() -> None:
    pace = Pace(0, 10, timeout=60)
    both = pace.decided(NEW, 0, seen(s0_a=15, s0_b=15), 1000.0)
    waiting = pace.decided(both, 1, seen(s0_a=45), 1059.0)
    assert (waiting.last, waiting.idle) == (10, ())
    idle = pace.decided(waiting, 2, {}, 1061.0)
    assert (idle.last, idle.idle) == (40, ("0/b",))
    awake = pace.decided(idle, 3, seen(s0_a=95, s0_b=46), 1062.0)
    assert (awake.last, awake.idle) == (40, ())
    assert pace.decided(awake, 4, seen(s0_b=71), 1063.0).last == 70


def test_an_input_without_a_record_becomes_idle() -> None:
    pace = Pace(0, 10, timeout=60, n_inputs=2)
    first = pace.decided(NEW, 0, seen(s0=55), 1000.0)
    assert first.last is None
    later = pace.decided(first, 1, seen(s0=56), 1061.0)
    assert (later.last, later.idle, later.missing) == (50, ("1",), ())
    assert pace.decided(later, 2, seen(s0=95, s1_east=52), 1062.0).reached == 52


@pytest.mark.parametrize("late_by", [0.0, 1.0])
def test_sources_that_become_idle_together_or_one_after_another_reach_the_same_query_time(late_by: float) -> None:
    pace = Pace(0, 10, timeout=60)
    first = pace.decided(NEW, 0, seen(s0_a=99, s0_b=50), 1000.0)
    both = pace.decided(first, 1, seen(s0_a=100, s0_b=50), 1000.0)
    later = pace.decided(both, 2, seen(s0_a=100), 1000.0 + late_by)
    idle = pace.decided(later, 3, {}, 1062.0)
    assert (idle.last, idle.idle) == (90, ("0/a", "0/b"))


def test_sources_are_not_idle_because_the_query_was_stopped() -> None:
    pace = Pace(0, 10, timeout=60)
    both = pace.decided(NEW, 0, seen(s0_a=15, s0_b=15), 1000.0)
    restarted = replace(pace, began=5000.0)
    first = restarted.decided(both, 1, seen(s0_a=95), 5010.0)
    assert (first.last, first.idle) == (10, ())
    assert restarted.decided(first, 2, {}, 5061.0).idle == ("0/b",)


@pytest.mark.parametrize("timeout", [0, -5])
def test_a_timeout_that_waits_for_no_source_is_refused(timeout: int) -> None:
    with pytest.raises(HoldsforError, match=rf"HF703.*the idleness timeout is {timeout}, expected more than 0"):
        check_idle(timeout)
    check_idle(None)
    check_idle(1)


def test_a_clock_that_is_set_back_restarts_the_timeouts() -> None:
    pace = Pace(0, 10, timeout=60)
    both = pace.decided(NEW, 0, seen(s0_a=15, s0_b=15), 1_000_000.0)
    earlier = pace.decided(both, 1, seen(s0_a=45), 1000.0)
    assert (earlier.last, earlier.idle) == (10, ())
    assert pace.decided(earlier, 2, {}, 1061.0).idle == ("0/a", "0/b")


def test_by_the_wall_clock_a_query_time_is_due_at_its_time() -> None:
    pace = Pace(0, 10, unit=1)
    assert pace.decided(NEW, 0, {}, 9.9).last is None
    due = pace.decided(NEW, 0, {}, 10.0)
    assert due.last == 10
    assert pace.decided(due, 1, {}, 3.0).last == 10, "a clock that is set back repeats no query time"
    assert Pace(0, 10_000, unit=1000).decided(NEW, 0, {}, 25.0).last == 20_000


def test_decisions_are_read_as_they_were_written(tmp_path: Path) -> None:
    log = DecisionLog(StreamFiles(str(tmp_path)))
    pace = Pace(0, 10, timeout=60, n_inputs=2)
    first = pace.decided(NEW, 0, seen(s0=55), 1000.0)
    second = pace.decided(first, 1, {}, 1061.0)
    log.add(first)
    log.add(second)
    assert (log.before(1), log.of(1), log.last(), log.of(2)) == (first, second, second, None)
    (tmp_path / "decisions/000000000001.json").write_text('{"batch": 1', encoding="utf-8")
    with pytest.raises(HoldsforError, match=r"HF792.*decisions/000000000001.json"):
        log.last()


def test_the_first_decision_of_a_micro_batch_counts(tmp_path: Path) -> None:
    """A driver that was lost may have decided it before its successor."""
    log = DecisionLog(StreamFiles(str(tmp_path)))
    first = Decision(5, 0, 50, 100)
    assert log.add(first) == log.add(Decision(5, 0, 50, 110)) == log.of(5) == first


@pytest.mark.parametrize(
    "content",
    ["[]", "7", '{"batch": 0, "start": "0"}', '{"batch": 0, "sources": [1]}', '{"batch": 0, "idle": "east"}', "{}"],
)
def test_decisions_of_other_types_are_damaged(content: str, tmp_path: Path) -> None:
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions/000000000000.json").write_text(content, encoding="utf-8")
    with pytest.raises(HoldsforError, match=r"HF792.*decisions/000000000000.json.*damaged"):
        DecisionLog(StreamFiles(str(tmp_path))).last()


def test_dates_after_the_wall_clock_are_ahead() -> None:
    pace = Pace(0, 10, max_ahead=MaxAhead(None))
    found = seen(s0=1000 + 86_400, s1=1000 + 86_401)
    assert pace.limits(NEW, found, 1000.0, are_dates=True) == {"1": 1000 + 86_400}
    assert pace.limits(NEW, found, 1000.0, are_dates=False) == {}
    assert Pace(0, 10).limits(NEW, found, 1000.0, are_dates=True) == {}


def test_a_date_is_ahead_if_its_occurrence_is() -> None:
    pace = Pace(0, 10, max_ahead=MaxAhead(5))
    assert pace.limits(NEW, {"0": Seen(1000, 900, 1006)}, 1000.0, are_dates=True) == {"0": 1005}


def test_integers_are_compared_with_the_newest_of_the_other_sources() -> None:
    pace = Pace(0, 10, max_ahead=MaxAhead(50))
    assert pace.limits(NEW, seen(s0=1000), 0.0, are_dates=False) == {}
    assert pace.limits(NEW, seen(s0=1000, s1=10, s2=20), 0.0, are_dates=False) == {"0": 70}
    before = replace(NEW, sources={"1": 960, "0": 0})
    assert pace.limits(before, seen(s0=1000), 0.0, are_dates=False) == {}
    assert pace.limits(before, seen(s0=1011), 0.0, are_dates=False) == {"0": 1010}


def test_a_decision_keeps_its_limits(tmp_path: Path) -> None:
    log = DecisionLog(StreamFiles(str(tmp_path)))
    log.add(replace(NEW, batch=0, limits={"0/a": 70}))
    assert log.of(0) == replace(NEW, batch=0, limits={"0/a": 70})
