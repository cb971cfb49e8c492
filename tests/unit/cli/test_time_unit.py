"""Durations in rules need the unit of time if times are integers; deadlines after the last record need an end."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import UsageProblem

RULES = "initiatedAt(parked(V)=true, T) :- happensAt(park(V), T).\nft(parked(V)=true, 2*hours).\n"
KINDS = [
    ["--jobs", "1"], ["--jobs", "2"], ["--window", "5", "--jobs", "2"], ["--engine", "reference"],
    ["--live", "--step", "5", "--window", "5"],
]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> list[str]:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    lines = "".join(f"park|{i}|{i}|v{i}\n" for i in range(40))
    (tmp_path / "e.txt").write_text(lines, encoding="utf-8")
    return ["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "e.txt")]


@pytest.mark.parametrize("options", KINDS, ids=" ".join)
def test_a_run_refuses_durations_without_a_unit(
    options: list[str], run: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*run, *options]) == 2
    assert "error[HF714]" in capsys.readouterr().err
    assert main([*run, *options, "--time-unit", "s"]) == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_python_refuses_durations_without_a_unit(jobs: int, run: list[str]) -> None:
    rules = hf.load_text(RULES)
    with pytest.raises(UsageProblem, match="HF714"):
        hf.recognise(rules, run[-1], jobs=jobs)
    found = hf.recognise(rules, run[-1], jobs=jobs, time_unit="s", end=9000)
    assert found.holds_for("parked(v0)=true") == [(1, 7201)]


def test_a_session_refuses_durations_without_a_unit() -> None:
    rules = hf.load_text(RULES)
    session = hf.Session(rules, window="3h")
    session.insert(["park|0|0|v0"])
    with pytest.raises(UsageProblem, match="HF714"):
        session.query(at=10_000)
    with pytest.raises(UsageProblem, match="hint: give the session a `time_unit`"):
        hf.Session.restore(session.snapshot(), rules).query(at=10_000)
    for unit, n in (("s", 1), ("ms", 1000)):
        session = hf.Session(rules, window="3h", time_unit=unit)  # type: ignore[arg-type]
        session.insert(["park|0|0|v0"])
        again = hf.Session.restore(session.snapshot(), rules)
        assert again.query(at=10_000 * n).holds_for("parked(v0)=true") == [(1, 7200 * n + 1)]
    dated = hf.Session(rules, window="3h")
    dated.insert(hf.Event("park", "v0", at="2026-03-01T08:00:00Z"))
    assert dated.query(at="2026-03-01T10:30:00Z")["parked"].num_rows == 1


PARKED = "name,start,arg1\npark,2026-03-01T08:00:00Z,v0\n"


@pytest.mark.parametrize("options", KINDS, ids=" ".join)
def test_a_run_until_now_reaches_deadlines_after_its_last_record(
    options: list[str], run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "e.csv").write_text(PARKED, encoding="utf-8")
    command = [*run[:-1], str(tmp_path / "e.csv"), "--format", "csv"]
    options = [{"5": "90d"}.get(each, each) for each in options]
    assert main([*command, *options]) == 0
    first = capsys.readouterr()
    assert "2026-03-01T10:00:01Z" not in first.out
    pending = "1 delayed effect pending at the end (`parked/1`: 1), the first due at 2026-03-01T10:00:00Z; `--end`"
    assert pending in first.err
    assert main([*command, *options, "--end", "now"]) == 0
    later = capsys.readouterr()
    assert "2026-03-01T08:00:01Z,2026-03-01T10:00:01Z" in later.out
    assert "pending" not in later.err


def test_python_has_an_end_now(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text(PARKED, encoding="utf-8")
    until_the_last_record = hf.recognise(hf.load_text(RULES), tmp_path / "e.csv")
    assert [(each.fluent, each.n) for each in until_the_last_record.pending] == [("parked/1", 1)]
    found = hf.recognise(hf.load_text(RULES), tmp_path / "e.csv", end="now")
    assert found.pending == ()
    ((start, end),) = found.holds_for("parked(v0)=true")
    assert (end - start).total_seconds() == 7200
