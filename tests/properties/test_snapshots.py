"""restore(snapshot(s)) answers like s for ever after: the same reports, changes and counts at every later query time.
Compaction changes no report, also none that was made before and is read later.

A session is replaced by one that is restored from its snapshot at random moments: before the first query time, between
records and their query time, and after query times. Records arrive late or twice, and are retracted.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.errors import AnalysisProblem, ExecutionProblem, HoldsforError, PlanningProblem
from holdsfor.runtime import session as session_module
from holdsfor.runtime import snapshot as snapshots
from tests.apps.data import ROOT
from tests.apps.runs import RUNS, SmallRun
from tests.properties.answers import explained, read_case
from tests.properties.compiling import compiled_once
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.interval_programs import interval_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.laws import random_schedule
from tests.properties.programs import Case, random_case
from tests.properties.test_session import Plain, answer_of, arriving, late_arrivals, session_of
from tests.seeds import chunks, named, share, some

pytestmark = pytest.mark.in_turn(2)

POOL = range(9000, 9100)
CASES: dict[str, Callable[[int], Case]] = {
    "any": random_case,
    "delays": delayed_case,
    "intervals": interval_case,
    "durations and relations": deciding_case,
    "keys": keyed_case,
}


@dataclass(frozen=True)
class Step:
    """A query time with the records that are inserted and retracted before it."""

    at: int
    inserted: list[str]
    retracted: list[str]


ReportContent = tuple[Plain, list[str], list[int]]


def content_of(report: hf.Report) -> ReportContent:
    """The content of a report: results, changes and counts."""
    counts = [report.late, report.dropped, report.cut, report.set_aside, report.unmatched, report.new_member]
    return answer_of(report), sorted(map(str, report.changes)), counts


def each_step(session: hf.Session, steps: Sequence[Step], chance: random.Random | None) -> Iterator[hf.Report]:
    """The report of each step; with a chance, sessions are restored from snapshots on the way."""
    rules = session._engine.rules.compiled

    def perhaps_restored(session: hf.Session) -> hf.Session:
        if chance is None or chance.random() < 0.5:
            return session
        return hf.Session.restore(session.snapshot(), rules)

    for step in steps:
        session = perhaps_restored(session)
        session.insert(step.inserted)
        session = perhaps_restored(session)
        session.insert([f"-{line}" for line in step.retracted])
        session = perhaps_restored(session)
        yield session.query(step.at)


def answers(session: hf.Session, steps: Sequence[Step], chance: random.Random | None) -> Iterator[ReportContent]:
    return (content_of(report) for report in each_step(session, steps, chance))


def random_steps(case: Case, queries: Sequence[int], slack: int, chance: random.Random) -> list[Step]:
    """The records as they arrive, some long before; some are retracted when a later query time is due."""
    records = late_arrivals(case, slack, chance)
    bounds = [case.start - 10**6, *queries]
    steps: list[Step] = []
    waiting: list[str] = []
    for low, at in zip(bounds, queries, strict=False):
        early = chance.choice([0, 0, slack])
        inserted = [line for arrival, line in records if low < arrival - early <= at]
        steps.append(Step(at, inserted, [arriving(line, at) for line in waiting]))
        waiting = chance.sample(inserted, min(len(inserted), chance.choice([0, 0, 1, 2])))
    return steps


def check(seed: int, case: Case) -> None:
    chance = random.Random(seed)
    schedule, step = random_schedule(case, chance)
    is_windowed = chance.random() < 0.8
    window, by = (schedule.window, step) if is_windowed else (None, None)
    queries = schedule.query_times[:12]
    steps = random_steps(case, queries, schedule.window, chance)
    sessions = [session_of(case, window, by, strict=False) for _ in range(2)]
    try:
        expected = list(answers(sessions[0], steps, None))
    except ExecutionProblem:
        return
    for number, (left, right) in enumerate(zip(expected, answers(sessions[1], steps, chance), strict=True)):
        if left != right:
            more = {"window": window, "step": by, "at": steps[number].at, "steps": steps, "all": (left, right)}
            pytest.fail(explained(seed, read_case(case), left[0], right[0], **more), pytrace=False)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("seeds", chunks(share(POOL, 5)), ids=named)
def test_a_restored_session_answers_like_the_one_that_was_saved(kind: str, seeds: range) -> None:
    for seed in seeds:
        try:
            check(seed, CASES[kind](seed))
        except (AnalysisProblem, PlanningProblem):
            continue


def check_compaction(seed: int, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    schedule, step = random_schedule(case, chance)
    steps = random_steps(case, schedule.query_times[:12], schedule.window, chance)
    sessions = [session_of(case, schedule.window, step, strict=False) for _ in range(2)]
    try:
        expected = list(answers(sessions[0], steps, None))
    except ExecutionProblem:
        return
    with monkeypatch.context() as patched:
        patched.setattr(session_module, "_ROOM", -(10**9))
        reports = list(each_step(sessions[1], steps, None))
    found = [content_of(report) for report in reports]
    assert found == expected, f"seed {seed}, window {schedule.window}, step {step}\n{case.text}"


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("seeds", chunks(share(POOL, 5)), ids=named)
def test_compaction_at_every_query_time_changes_no_report(
    kind: str, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        try:
            check_compaction(seed, CASES[kind](seed), monkeypatch)
        except (AnalysisProblem, PlanningProblem):
            continue


def application(run: SmallRun) -> tuple[hf.Session, list[Step]]:
    """A session of an application, and its records by query times that are half a window apart."""
    options = dict(zip(run.options[::2], map(int, run.options[1::2]), strict=True))
    rules, tick, start = hf.load(*run.files), options.get("--tick", 1), options["--start"]
    lines = (ROOT / "apps" / run.app / run.records).read_text(encoding="utf-8").splitlines()
    arrivals = [int(line.split("|")[1]) for line in lines]
    window = max(run.window, (max(arrivals) - start) // 60 // tick * tick)
    step = window // tick // 2 * tick
    queries = range(start + step, max(arrivals) + 2 * window, step)
    steps = [
        Step(at, [line for arrival, line in zip(arrivals, lines, strict=True) if low < arrival <= at], [])
        for low, at in zip([start - 1, *queries], queries, strict=False)
    ]
    return hf.Session(rules, start=start, tick=tick, window=window), steps


@pytest.mark.parametrize("name", some(RUNS, 4))
def test_the_applications_go_on_from_snapshots(name: str) -> None:
    run = RUNS[name]
    (plain, steps), (restored, _) = application(run), application(run)
    expected = list(answers(plain, steps, None))
    assert list(answers(restored, steps, random.Random(1))) == expected
    assert any(answer for answer, _, _ in expected)


def halves(name: str) -> tuple[hf.Session, list[Step], list[Step]]:
    session, steps = application(RUNS[name])
    return session, steps[: len(steps) // 2], steps[len(steps) // 2 :]


def continued(folder: Path) -> Iterator[str]:
    """What the applications report that were saved in a folder halfway."""
    for name in RUNS:
        session, _, steps = halves(name)
        again = hf.Session.load(folder / name, session._engine.rules.compiled)
        yield from (repr(each) for each in answers(again, steps, None))


SCRIPT = """
import sys
from pathlib import Path
from tests.properties.test_snapshots import continued
print(*continued(Path(sys.argv[1])), sep="\\n")
"""


def test_the_applications_go_on_in_another_process(tmp_path: Path) -> None:
    expected: list[str] = []
    for name in RUNS:
        session, before, after = halves(name)
        assert list(answers(session, before, None))
        session.save(tmp_path / name)
        expected += map(repr, answers(session, after, None))
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": "5", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == expected


CHANGED = range(9200, 9260)
_ODD = [None, True, -1, 0, 7, 10**30, 2.5, "", "x", [], {}, [1], {"a": 1}, 2**63, -(2**70)]


def changed(data: bytes, chance: random.Random) -> bytes:
    """A snapshot with another value of its header or columns, and the digest of that."""
    fixed, rest = data[: snapshots._FIXED - 16], data[snapshots._FIXED :]
    size = 8 + int.from_bytes(rest[:8], "little")
    header, columns = json.loads(rest[8:size]), bytearray(rest[size:])
    if columns and chance.random() < 0.25:
        at = chance.randrange(len(columns) // 8) * 8
        number = chance.choice([0, 1, 2**62, 2**63 - 1, -(2**63), chance.randrange(-(2**63), 2**63)])
        columns[at : at + 8] = number.to_bytes(8, "little", signed=True)
    else:
        owner, key = chance.choice(list(places(header)))
        if chance.random() < 0.15:
            del owner[key]
        else:
            old = owner[key]
            is_close = type(old) is int and chance.random() < 0.6
            owner[key] = chance.choice([old + 1, old - 1, -old] if is_close else _ODD)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    rest = len(text).to_bytes(8, "little") + text + bytes(columns)
    return fixed + snapshots._digest(rest) + rest


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All values in lists and dictionaries, each as its owner and its key there."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@pytest.mark.parametrize("seeds", chunks(share(CHANGED, 10), 5), ids=named)
def test_a_changed_snapshot_with_a_right_digest_is_an_answer_or_an_error(seeds: range) -> None:
    refused = 0
    for seed in seeds:
        case, chance = CASES[list(CASES)[seed % len(CASES)]](seed), random.Random(seed)
        try:
            session = session_of(case, (case.end - case.start) // 3, None, strict=False)
            session.insert([text for _, text in case.records])
            session.query(case.start + (case.end - case.start) // 2)
        except HoldsforError:
            continue
        data = session.snapshot()
        for _ in range(20):
            try:
                restored = hf.Session.restore(changed(data, chance), compiled_once(case.text))
                restored.query(case.end)
                restored.snapshot()
            except HoldsforError:
                refused += 1
    assert refused > 0
