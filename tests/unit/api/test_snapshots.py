"""Snapshots of sessions: readable in another process, small, and refused if damaged or of other data."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem, UsageProblem
from holdsfor.runtime import snapshot as snapshots
from holdsfor.sinks.output_files import replace_file
from tests.apps.data import ROOT

TEXT = """
collectIntervals(f(_)=_).
dynamicDomain(thing(_)).
grounding(s(X)=V) :- thing(X), value(V).
value(on). value(off).
grounding(f(X)=on) :- thing(X).
initially(s(_)=off).
initiatedAt(s(X)=on, T) :- happensAt(a(X, _), T).
fi(s(X)=on, s(X)=off, 15).
holdsFor(long(X)=true, J) :- holdsFor(f(X)=on, I), intDurGreater(I, 12, J).
holdsFor(met(X)=true, J) :- holdsFor(s(X)=on, S), holdsFor(f(X)=on, I), allen(overlaps, S, I, union, J).
holdsFor(idle(X)=true, J) :- holdsFor(s(X)=on, I), complement_all([I], J).
happensAt(ended(X), T) :- happensAt(endI(long(X)=true), T).
"""
RULES = hf.load_text(TEXT)


def session() -> hf.Session:
    return hf.Session(RULES, start=-40, window=20, step=10)


def lines_of(begin: int) -> list[str]:
    """Ten time-points: terms of every kind, a late record, a retracted one, and one that is cut."""
    names = ["p", "'An Atom'", "g(h([1,2.5],x))", str(2**60), "1.5"]
    lines = [f"a|{begin + 1}|{begin + 1}|{name}|{begin}.25" for name in names]
    lines += [f"f|{begin + 3}|{begin - 30}|{begin + 4}|on|{name}" for name in names[:2]]
    lines += [
        f"a|{begin + 9}|{begin - 5}|late|0",
        f"a|{begin + 2}|{begin + 2}|gone|0",
        f"-a|{begin + 5}|{begin + 2}|gone|0",
    ]
    return lines


def report_of(one: hf.Session, begin: int) -> str:
    """The report of a session after ten more time-points."""
    one.insert(lines_of(begin))
    report = one.query(begin + 10)
    counts = report.late, report.dropped, report.cut, report.set_aside, report.unmatched, report.new_member
    return json.dumps([list(report.rows()), [str(change) for change in report.changes], counts])


SCRIPT = """
import sys
import holdsfor as hf
from tests.unit.api.test_snapshots import RULES, report_of
session = hf.Session.load(sys.argv[1], RULES)
print(*(report_of(session, begin) for begin in map(int, sys.argv[2:])), sep="\\n")
"""


def test_another_process_continues_from_a_file(tmp_path: Path) -> None:
    one, begins = session(), range(-40, 40, 10)
    for begin in begins[:4]:
        report_of(one, begin)
    one.save(tmp_path / "state")
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "state"), *map(str, begins[4:])],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [report_of(one, begin) for begin in begins[4:]]


def test_a_restored_session_is_independent_of_the_saved_one() -> None:
    one, expected = session(), session()
    for each in (one, expected):
        report_of(each, -40)
    other = hf.Session.restore(one.snapshot(), RULES)
    other.insert(["a|-25|-25|other|1"])
    other.query(-20)
    assert [report_of(one, begin) for begin in (-30, -20)] == [report_of(expected, begin) for begin in (-30, -20)]


def test_a_snapshot_of_a_restored_session_has_the_same_size() -> None:
    one = session()
    for begin in range(-40, 0, 10):
        report_of(one, begin)
    data = one.snapshot()
    assert len(hf.Session.restore(data, RULES).snapshot()) == len(data)


def test_the_size_depends_on_the_window_and_not_on_the_history() -> None:
    rules = hf.load_text("initiatedAt(s(X)=on, T) :- happensAt(a(X), T).\nft(s(X)=on, 15).")
    one = hf.Session(rules, start=0, window=20)
    sizes: list[int] = []
    for begin in range(0, 4000, 10):
        one.insert([f"a|{begin + i}|{begin + i}|entity {begin + i}" for i in range(10)])
        one.query(begin + 10)
        one.insert([f"a|{begin + 11}|{begin + 11}|x"])
        sizes.append(len(one.snapshot()))
        one.retract([f"a|{begin + 11}|{begin + 11}|x"])
    assert max(sizes[-20:]) < 1.1 * max(sizes[20:40])


# -- refused snapshots------------------------------------------------------------------------------------------------


def saved() -> bytes:
    one = session()
    report_of(one, -40)
    return one.snapshot()


def test_a_snapshot_that_is_cut_off_is_refused_at_every_length() -> None:
    data = saved()
    chance = random.Random(1)
    for n in (0, 1, 17, 18, 21, 22, 37, 38, 45, 46, *chance.sample(range(len(data)), 50), len(data) - 1):
        with pytest.raises(DataProblem, match="HF508"):
            hf.Session.restore(data[:n], RULES)
    with pytest.raises(DataProblem, match=r"HF508.*is damaged or cut off"):
        hf.Session.restore(data + b"more", RULES)


def test_a_snapshot_with_another_byte_is_refused() -> None:
    data = saved()
    chance = random.Random(2)
    for at in (0, 18, 22, 40, *chance.sample(range(len(data)), 50)):
        changed = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
        with pytest.raises(DataProblem, match=r"HF50[89]"):
            hf.Session.restore(changed, RULES)


@pytest.mark.parametrize(("found", "age"), [(0, "an older"), (99, "a newer")])
def test_a_snapshot_in_another_format_is_refused(found: int, age: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(snapshots, "FORMAT", found)
        data = saved()
    message = f"HF509.*is from {age} version of holdsfor: format {found}, expected {snapshots.FORMAT}"
    with pytest.raises(DataProblem, match=message):
        hf.Session.restore(data, RULES)


def test_a_valid_snapshot_of_other_data_is_refused() -> None:
    one = snapshots.Snapshot.from_bytes(saved())
    odd = snapshots.Snapshot(one.fingerprint, one.settings, {"state": {}}, one.columns, one.terms, one.more)
    with pytest.raises(DataProblem, match=r"HF508.*is damaged"):
        hf.Session.restore(odd.to_bytes(), RULES)
    for columns in (one.columns[:3], [one.columns[0][:-1], *one.columns[1:]]):
        odd = snapshots.Snapshot(one.fingerprint, one.settings, one.parts, columns, one.terms, one.more)
        with pytest.raises(DataProblem, match=r"HF508.*is damaged"):
            hf.Session.restore(odd.to_bytes(), RULES)
    run = snapshots.Snapshot(one.fingerprint, one.settings, one.parts, one.columns, one.terms, {"run": {}})
    with pytest.raises(UsageProblem, match=r"HF744.*of a run of the command"):
        hf.Session.restore(run.to_bytes(), RULES)


@pytest.mark.parametrize(
    "other", [TEXT.replace("12", "13"), TEXT + "value(dim).", TEXT.replace("initially", "% initially")]
)
def test_a_snapshot_of_other_rules_is_refused(other: str) -> None:
    with pytest.raises(UsageProblem, match=r"HF744.*is of other rules, background facts or start-up goals"):
        hf.Session.restore(saved(), hf.load_text(other))


def test_the_goals_must_be_those_of_the_snapshot() -> None:
    rules = hf.load_text(":- dynamic(limit/1).\nlimit(1).\ninitiatedAt(b(X)=true, T) :- happensAt(e(X), T), limit(X).")
    goals = ["assertz(limit(2))"]
    one = hf.Session(rules, start=0, window=10, goals=goals)
    one.insert(["e|3|3|2"])
    one.query()
    again = hf.Session.restore(one.snapshot(), rules, goals=goals)
    assert again.query().holds_for("b(2)=true") == [(4, None)]
    with pytest.raises(UsageProblem, match="HF744"):
        hf.Session.restore(one.snapshot(), rules)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("window", 30, "has the window 20, expected 30"),
        ("window", None, "has the window 20, expected None"),
        ("step", 5, "has the step 10, expected 5"),
        ("tick", 2, "has the tick 1, expected 2"),
        ("allen_memory", 7, "has the allen memory 20, expected 7"),
    ],
)
def test_a_snapshot_with_other_settings_is_refused(
    setting: str, value: int | None, message: str, tmp_path: Path
) -> None:
    session().save(tmp_path / "state")
    with pytest.raises(UsageProblem, match=rf"HF744.*{message}"):
        hf.Session.load(tmp_path / "state", RULES, **{setting: value})  # type: ignore[arg-type]
    assert hf.Session.load(tmp_path / "state", RULES, window=20, step=10, tick=1, allen_memory=20).window == 20


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataProblem, match=r"HF508.*state` cannot be read: No such file"):
        hf.Session.load(tmp_path / "state", RULES)


def test_a_file_is_replaced_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "state"
    replace_file(file, b"old")
    replace_file(file, b"new")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left on device: .*state"):
        replace_file(file, b"newer")
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]
