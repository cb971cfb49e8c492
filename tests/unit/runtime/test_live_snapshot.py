"""A live run that continues from a snapshot gives the same reports as the uninterrupted run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.cli.terminal.interruption import Interruption
from holdsfor.columns.encoding import Symbols
from holdsfor.runtime.live import LiveRun
from holdsfor.runtime.live_snapshot import continue_run, positions, run_snapshot
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.runtime.windows import each_report
from holdsfor.sources.live_inputs import open_feed
from holdsfor.syntax.printer import show
from tests.seeds import examples
from tests.unit.runtime.test_live import COMPILED, ReportTexts, streams

Saved = tuple[int, bytes, bytes]
"""The number of reports, the run and the session."""

WINDOW, STEP = 24, 8


@dataclass
class Run:
    """A live run over files, from its beginning or from a snapshot, with a snapshot after every query time."""

    files: list[Path]
    n_bytes: int
    saved: Saved | None = None
    reports: ReportTexts = field(default_factory=list)
    rests: list[Saved] = field(default_factory=list)
    counts: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        self.symbols = Symbols()
        found = None if self.saved is None else Snapshot.from_bytes(self.saved[1])
        at = [None] * len(self.files) if found is None else positions(found)
        given = (COMPILED.names, 1, self.symbols)
        feeds = [
            open_feed(str(file), *given, n_bytes=self.n_bytes, position=position)
            for file, position in zip(self.files, at, strict=True)
        ]
        with Interruption() as stop:
            run = LiveRun(feeds, step=STEP, start=0, end=None, rate=None, stop=stop, at_rest=self.rest)
            if found is not None:
                continue_run(run, found, self.symbols)
            run.begin()
            self.report(run, self.session())
        self.counts = (run.n_records, run.n_outside, run.unused, run.session and run.session.records.counts)

    def session(self) -> EngineSession:
        if self.saved is None:
            return EngineSession(COMPILED, start=0, window=WINDOW, symbols=self.symbols)
        return EngineSession.restored(Snapshot.from_bytes(self.saved[2]), COMPILED, symbols=self.symbols)

    def report(self, run: LiveRun, session: EngineSession) -> None:
        for report in each_report(session, run.query_times(session)):
            intervals = {show(fvp): spans for fvp, spans in report.intervals(self.symbols).items()}
            times = {show(event): points for event, points in report.times(self.symbols).items()}
            self.reports.append((report.query_time, {**intervals, **times}))

    def rest(self, run: LiveRun) -> None:
        assert run.session is not None
        if not run.has_ended:
            of_run = run_snapshot(run, self.symbols, "", {}, {}).to_bytes()
            self.rests.append((len(self.reports), of_run, run.session.snapshot().to_bytes()))


def as_csv(lines: list[str]) -> str:
    """Records of events and input intervals as CSV."""
    rows = ["op,name,arrival,start,end,value,arg1"]
    for line in lines:
        name, arrival, start, *rest = line.strip().removeprefix("-").split("|")
        end, value, who = rest if len(rest) == 3 else ("", "", rest[0])
        rows.append(f"{'-' if line.startswith('-') else '+'},{name},{arrival},{start},{end},{value},{who}")
    return "".join(f"{row}\n" for row in rows)


@st.composite
def inputs(draw: st.DrawFn) -> list[str]:
    """The content of one or two inputs: late records, retractions, lines that do not fit; as text or CSV."""
    lines = [line for _, line in sorted(draw(streams(1)))]
    taken = draw(st.lists(st.sampled_from(lines), max_size=4)) if lines else []
    for line in taken:
        lines.insert(draw(st.integers(lines.index(line) + 1, len(lines))), f"-{line}")
    if draw(st.booleans()):
        return [as_csv(lines)]
    n_inputs = draw(st.integers(1, 2))
    return ["".join([*lines[i::n_inputs], "on|x|1|a\n"]) for i in range(n_inputs)]


@settings(max_examples=examples(20))
@given(inputs(), st.sampled_from([7, 60, 1000]), st.sampled_from([7, 1000]), st.data())
def test_a_run_that_continues_from_any_rest_reports_the_same(
    contents: list[str], n_bytes: int, n_bytes_later: int, data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"{i}.txt" for i in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            file.write_text(content, encoding="utf-8")
        whole = Run(files, n_bytes)
        if not whole.rests:
            return
        saved = data.draw(st.sampled_from(whole.rests))
        later = Run(files, n_bytes_later, saved)
    assert whole.reports[: saved[0]] + later.reports == whole.reports
    assert later.counts == whole.counts


def test_a_run_may_be_restored_many_times(tmp_path: Path) -> None:
    """A restored run saves the same state as the uninterrupted run at every rest."""
    file = tmp_path / "events.txt"
    file.write_text("".join(f"on|{t}|{t}|a\noff|{t + 1}|{t + 1}|a\n" for t in range(0, 200, 7)), encoding="utf-8")
    whole = Run([file], 1000)
    reports: ReportTexts = []
    saved: Saved | None = None
    for _ in whole.rests:
        part = Run([file], 40, saved)
        reports += part.reports[: part.rests[0][0]]
        saved = part.rests[0]
    assert saved is not None
    assert reports + Run([file], 40, saved).reports == whole.reports
