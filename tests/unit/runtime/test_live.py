"""Live runs: reports depend on the streams alone, and memory on the window alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.cli.terminal.interruption import Interruption
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.runtime import session as session_module
from holdsfor.runtime.live import LiveRun
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import each_report
from holdsfor.sources.feeds import Feed
from holdsfor.sources.inputs import read_inputs
from holdsfor.sources.live_inputs import open_feed
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from tests.seeds import examples

pytestmark = pytest.mark.in_turn(2)

RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
holdsFor(seen(X)=true, I) :- holdsFor(lit(X)=true, I1), holdsFor(near(X)=true, I2), intersect_all([I1, I2], I).
happensAt(dark(X), T) :- happensAt(end(lit(X)=true), T).
collectIntervals(near(_)=true).
"""
COMPILED = compile_text(RULES)
LATE_ENTITIES = compile_text("""
initially(open(X)=true).
terminatedAt(open(X)=true, T) :- happensAt(off(X), T).
holdsFor(closed(X)=true, I) :- holdsFor(open(X)=true, I1), complement_all([I1], I).
grounding(on(X)) :- door(X).
grounding(off(X)) :- door(X).
grounding(open(X)=true) :- door(X).
grounding(closed(X)=true) :- door(X).
dynamicDomain(door(_)).
""")
ReportTexts = list[tuple[int, dict[str, object]]]


def report_texts(session: EngineSession, queries: Iterable[int]) -> ReportTexts:
    """Every report as text."""
    found: ReportTexts = []
    for report in each_report(session, queries):
        intervals = {show(fvp): spans for fvp, spans in report.intervals(session.symbols).items()}
        times = {show(event): points for event, points in report.times(session.symbols).items()}
        found.append((report.query_time, {**intervals, **times}))
    return found


class Live:
    """A live run over files, in chunks of some bytes."""

    def __init__(
        self,
        files: list[Path],
        window: int,
        step: int,
        *,
        n_bytes: int,
        tick: int = 1,
        end: int | None = None,
        compiled: Compiled = COMPILED,
    ) -> None:
        self.symbols = Symbols()
        feeds = [open_feed(str(file), compiled.names, tick, self.symbols, n_bytes=n_bytes) for file in files]
        self.session = EngineSession(compiled, start=0, end=end, tick=tick, window=window, symbols=self.symbols)
        with Interruption() as stop:
            run = LiveRun(feeds, step=step, start=0, end=end, rate=None, stop=stop)
            run.begin()
            self.reports = report_texts(self.session, run.query_times(self.session))
        self.n_outside = run.n_outside
        self.set_aside = run.take_set_aside()
        self.unmatched = self.session.records.take_unmatched()


def from_files(files: list[Path], window: int, step: int, tick: int, end: int) -> ReportTexts:
    """The reports of a run over files."""
    symbols = Symbols()
    reading = read_inputs(files, COMPILED.names, tick, symbols)
    session = EngineSession(COMPILED, start=0, end=end, tick=tick, window=window, symbols=symbols)
    session.insert_reading(reading)
    queries = QueryTimes(0, end, step, window)
    return report_texts(session, queries.up_to(session.last_query_time(queries)))


@st.composite
def streams(draw: st.DrawFn, tick: int) -> list[tuple[int, str]]:
    """Records with their arrivals: some of them late, some of names that no rule uses."""
    lines: list[tuple[int, str]] = []
    for _ in range(draw(st.integers(0, 25))):
        name = draw(st.sampled_from(["on", "off", "near", "noise"]))
        occurrence = draw(st.integers(0, 60)) * tick
        who = draw(st.sampled_from(["a", "b"]))
        arrival = occurrence + draw(st.sampled_from([0, 0, 0, 3, 12, 40])) * tick
        end = f"{occurrence + draw(st.integers(1, 20)) * tick}|true|" if name == "near" else ""
        lines.append((arrival, f"{name}|{arrival}|{occurrence}|{end}{who}\n"))
    return lines


def written(lines: list[tuple[int, str]], n_inputs: int, folder: Path) -> list[Path]:
    """The lines dealt out to files in turn."""
    files = [folder / f"{i}.txt" for i in range(n_inputs)]
    for i, file in enumerate(files):
        file.write_text("".join(line for _, line in lines[i::n_inputs]), encoding="utf-8")
    return files


@settings(max_examples=examples(25))
@given(data=st.data())
def test_a_live_run_in_order_of_arrival_reports_like_the_run_over_files(data: st.DataObject) -> None:
    tick = data.draw(st.sampled_from([1, 5]))
    lines = sorted(data.draw(streams(tick)))
    step = data.draw(st.sampled_from([4, 10])) * tick
    window = step * data.draw(st.sampled_from([1, 3]))
    n_bytes, end = data.draw(st.sampled_from([7, 100, 1 << 20])), data.draw(st.integers(0, 100)) * tick
    with TemporaryDirectory() as folder:
        files = written(lines, data.draw(st.integers(1, 3)), Path(folder))
        live = Live(files, window, step, n_bytes=n_bytes, tick=tick, end=end)
        assert live.reports == from_files(files, window, step, tick, end)


@settings(max_examples=examples(25))
@given(data=st.data())
def test_in_any_order_a_live_run_depends_on_the_streams_and_not_on_their_chunks(data: st.DataObject) -> None:
    lines = data.draw(streams(1))
    window = data.draw(st.sampled_from([10, 30]))
    with TemporaryDirectory() as folder:
        files = written(lines, data.draw(st.integers(1, 3)), Path(folder))
        runs = [Live(files, window, 10, n_bytes=n_bytes) for n_bytes in (7, 64, 1 << 20)]
    assert runs[0].reports == runs[1].reports == runs[2].reports
    counts = [
        (run.session.records.admission_counts.n_late, run.session.records.admission_counts.n_dropped, run.n_outside)
        for run in runs
    ]
    assert counts[0] == counts[1] == counts[2]


def test_an_entity_seen_late_has_its_initial_values_from_the_first_time_point_on(tmp_path: Path) -> None:
    files = written([(0, "off|2|2|a\n"), (0, "off|47|47|b\n")], 1, tmp_path)
    live = Live(files, 10, 10, n_bytes=100, compiled=LATE_ENTITIES)
    assert "open(b)=true" not in live.reports[3][1]
    assert live.reports[4] == (
        50,
        {"closed(a)=true": [(3, None)], "closed(b)=true": [(48, None)], "open(b)=true": [(0, 48)]},
    )


# -- retractions -------------------------------------------------------------------------------------------------------


def retracting(tmp_path: Path, *lines: str) -> Live:
    return Live(written([(0, f"{line}\n") for line in lines], 1, tmp_path), 20, 10, n_bytes=16)


def test_a_retraction_takes_effect_at_the_next_query_time(tmp_path: Path) -> None:
    live = retracting(tmp_path, "on|3|3|a", "off|12|12|a", "-on|14|3|a", "off|25|25|b")
    assert [report for _, report in live.reports[:2]] == [{"lit(a)=true": [(4, None)]}, {}]
    assert (live.set_aside, live.unmatched) == ([], [])


def test_a_retraction_of_a_record_before_the_window_is_dropped(tmp_path: Path) -> None:
    live = retracting(tmp_path, "on|3|3|a", "off|22|22|b", "-on|25|3|a", "off|31|31|b")
    assert [report for _, report in live.reports[1:3]] == [{"lit(a)=true": [(4, None)]}] * 2
    assert live.session.records.admission_counts.n_dropped == 1


def test_of_an_interval_that_began_before_the_window_only_the_rest_is_retracted(tmp_path: Path) -> None:
    live = retracting(tmp_path, "on|0|0|a", "near|3|3|40|true|a", "off|22|22|b", "-near|25|3|40|true|a", "off|31|31|b")
    seen = [report["seen(a)=true"] for _, report in live.reports if "seen(a)=true" in report]
    assert seen == [[(3, None)], [(3, None)]]
    assert (live.set_aside, live.session.records.admission_counts.n_dropped) == ([], 0)


def test_a_retraction_without_a_record_is_unmatched(tmp_path: Path) -> None:
    live = retracting(tmp_path, "on|3|3|a", "-on|14|3|b", "off|25|25|b")
    assert [(misfit.line, misfit.reason) for misfit in live.unmatched] == [(2, "retracts a record that is not there")]


def test_a_retraction_removes_a_record_that_came_twice(tmp_path: Path) -> None:
    live = retracting(tmp_path, "on|3|3|a", "on|12|3|a", "-on|14|3|a", "off|25|25|b")
    assert [report for _, report in live.reports] == [{"lit(a)=true": [(4, None)]}, {}, {}]
    assert (live.set_aside, live.unmatched) == ([], [])


def test_a_record_that_is_retracted_and_inserted_again_has_its_effect(tmp_path: Path) -> None:
    live = retracting(tmp_path, "on|3|3|a", "-on|12|3|a", "on|14|3|a", "off|25|25|b")
    assert [report for _, report in live.reports] == [{"lit(a)=true": [(4, None)]}] * 3


def test_a_retraction_of_an_unused_name_before_the_window_is_dropped(tmp_path: Path) -> None:
    live = retracting(tmp_path, "off|3|3|a", "off|42|42|b", "-on|45|3|a", "off|51|51|b")
    assert (live.session.records.admission_counts.n_dropped, live.set_aside) == (1, [])


@settings(max_examples=examples(25))
@given(data=st.data())
def test_duplicates_and_retractions_give_the_answer_of_the_run_over_files(data: st.DataObject) -> None:
    """With any inputs and chunks, a window over everything ends with the answer of the run over files."""
    lines = sorted(
        (arrival, place, f"{sign}on|{arrival}|{occurrence}|{who}\n")
        for place, (arrival, occurrence, sign, who) in enumerate(
            data.draw(
                st.lists(
                    st.tuples(
                        st.integers(5, 40), st.sampled_from([3, 5]), st.sampled_from(["", "-"]), st.sampled_from("ab")
                    ),
                    max_size=12,
                )
            )
        )
    )
    with TemporaryDirectory() as folder:
        files = written([(arrival, line) for arrival, _, line in lines], data.draw(st.integers(1, 3)), Path(folder))
        live = Live(files, 1000, 10, n_bytes=data.draw(st.sampled_from([7, 1 << 20])), end=50)
        symbols = Symbols()
        reading = read_inputs(files, COMPILED.names, 1, symbols)
        assert live.reports[-1] == from_files(files, 1000, 50, 1, 50)[-1]
    assert sorted(map(str, live.unmatched)) == sorted(map(str, reading.unmatched))


# -- memory ------------------------------------------------------------------------------------------------------------


def steady(n_windows: int) -> Iterator[bytes]:
    """Ten records a window, over and over; one light stays on for good."""
    yield b"on|0|0|always\nnear|0|0|100000000|true|always\n"
    for t in range(1, n_windows * 10):
        name = "on" if t % 2 else "off"
        yield f"{name}|{t}|{t}|x{t % 7}\nnear|{t}|{t}|{t + 3}|true|x{t % 7}\n".encode()


def kept(session: EngineSession, feed: Feed) -> int:
    """How many records and FVPs are in memory."""
    records = sum(map(len, session.records.all))
    return records + sum(table.n for table in session.state.held.values()) + feed.reading.n_waiting


@pytest.mark.parametrize("window", [10, 50])
def test_memory_is_bounded_by_the_window_not_by_the_length_of_the_stream(window: int) -> None:
    """A thousand query times through a real pipe; the open interval of the first record is still known at the last."""
    n_query_times = 1000
    ours, theirs = os.pipe()

    def write() -> None:
        with os.fdopen(theirs, "wb") as pipe:
            pipe.writelines(steady(n_query_times))

    symbols = Symbols()
    feed = open_feed(f"/dev/fd/{ours}", COMPILED.names, 1, symbols, n_bytes=512)
    os.close(ours)
    session = EngineSession(COMPILED, start=0, end=n_query_times * 10 - 1, window=window, symbols=symbols)
    writer = threading.Thread(target=write)
    writer.start()
    with Interruption() as stop:
        run = LiveRun([feed], step=10, start=0, end=n_query_times * 10 - 1, rate=None, stop=stop)
        run.begin()
        pairs = [(kept(session, feed), report) for report in each_report(session, run.query_times(session))]
    writer.join()
    sizes, reports = [size for size, _ in pairs], [report for _, report in pairs]
    assert len(sizes) == n_query_times
    assert reports[-1].intervals(symbols)[parse_term("seen(always)=true")] == [(1, None)]
    # Records are evicted once they are the larger part, hence twice the window; then a chunk, and the open FVPs.
    assert max(sizes) <= 2 * 2 * (window + 10) + 60
    assert max(sizes[500:]) <= max(sizes[:500])


@settings(max_examples=examples(12))
@given(data=st.data())
def test_compaction_at_every_query_time_changes_no_report(data: st.DataObject) -> None:
    lines = sorted(data.draw(streams(1)))
    chosen = data.draw(st.lists(st.sampled_from(lines))) if lines else []
    lines = sorted([*lines, *((arrival + 3, f"-{line}") for arrival, line in chosen)])
    n_bytes, end = data.draw(st.sampled_from([7, 100, 1 << 20])), 70
    with TemporaryDirectory() as folder, patch.object(session_module, "_ROOM", -(10**9)):
        files = written(lines, data.draw(st.integers(1, 3)), Path(folder))
        live = Live(files, 12, 4, n_bytes=n_bytes, end=end)
        assert live.reports == from_files(files, 12, 4, 1, end)


def test_unused_constants_are_freed(tmp_path: Path) -> None:
    """Ten times as many entities, which come and go, leave tables of the same size."""

    def largest(n_windows: int) -> int:
        file = tmp_path / f"{n_windows}.txt"
        moments = [(t, name, by) for t in range(2, 10 * n_windows) for name, by in (("on", 0), ("off", 2))]
        file.write_text("".join(f"{name}|{t}|{t}|light {t - by}\n" for t, name, by in moments), encoding="utf-8")
        symbols = Symbols()
        feed = open_feed(str(file), COMPILED.names, 1, symbols, n_bytes=512)
        session = EngineSession(COMPILED, start=0, window=10, symbols=symbols)
        with Interruption() as stop, patch.object(session_module, "_ROOM", 200):
            run = LiveRun([feed], step=10, start=0, end=None, rate=None, stop=stop)
            run.begin()
            return max(symbols.size for _ in each_report(session, run.query_times(session)))

    sizes = [largest(n) for n in (50, 500)]
    assert sizes[1] <= 1.5 * sizes[0]
