"""City transport: the small file gives the answers computed by hand, and a part of the real data the right ones."""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import groupby
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.answers import Intervals, answer_of

ROOT = Path(__file__).parents[2]
CTM = ROOT / "apps" / "ctm"
RULES = [str(CTM / "rules.prolog"), str(CTM / "background.prolog")]
DATA = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data")) / "ctm"


def test_the_rules_have_no_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *RULES]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"


def test_the_small_file_gives_the_expected_answer(capsys: pytest.CaptureFixture[str]) -> None:
    period = ["--start", "0", "--end", "100", "--engine", "reference", "--format", "jsonl"]
    assert main(["run", *RULES, "--input", str(CTM / "events.txt"), *period]) == 0
    printed = capsys.readouterr()
    assert printed.out == (CTM / "expected.jsonl").read_text(encoding="utf-8")
    assert printed.err == ""


def test_the_driving_quality_of_a_vehicle_is_always_one_of_three(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*RULES, "--input", str(CTM / "events.txt"), "--start", "0", "--end", "100"]
    answer = answer_of(arguments, capsys)
    for vehicle in ("1,bus", "2,bus", "1,tram", "2,tram"):
        qualities = [answer.get(f"driving_quality({vehicle})={quality}", []) for quality in ("high", "medium", "low")]
        for time in range(101):
            assert sum(holds_at(intervals, time) for intervals in qualities) == 1


def test_punctuality_on_real_data_follows_the_last_stop(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip(f"no real data: {DATA} not found (set HOLDSFOR_DATA)")
    lines = [line for file in sorted(DATA.glob("*.csv")) for line in file.read_text().splitlines()]
    lines = sorted(lines, key=lambda line: int(line.split("|")[1]))[:400]
    (tmp_path / "slice.txt").write_text("\n".join(lines))
    answer = answer_of([*RULES, "--input", str(tmp_path / "slice.txt"), "--start", "0"], capsys)

    stops: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for fields in (line.split("|") for line in lines):
        if fields[0] in ("stop_enter", "stop_leave"):
            in_time = fields[6] == "scheduled" or (fields[0], fields[6]) == ("stop_enter", "early")
            stops[f"{fields[3]},{fields[4]}"].append((int(fields[2]), in_time))
    assert len(stops) > 10
    for vehicle, visits in stops.items():
        changes = [(0, True), *((time + 1, in_time) for time, in_time in sorted(visits))]
        starts = [next(group) for _, group in groupby(changes, key=lambda change: change[1])]
        ends = [start for start, _ in starts[1:]] + [float("inf")]
        spans = [(start, end, in_time) for (start, in_time), end in zip(starts, ends, strict=True)]
        punctual = [(start, end) for start, end, in_time in spans if in_time]
        late = [(start, end) for start, end, in_time in spans if not in_time]
        assert answer.get(f"punctuality({vehicle})=punctual", []) == punctual
        assert answer.get(f"punctuality({vehicle})=non_punctual", []) == late


def holds_at(intervals: Intervals, time: int) -> bool:
    return any(start <= time < end for start, end in intervals)
