"""Maritime: the small file gives the answers computed by hand, and a part of the real data the right ones."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.answers import answer_of
from tests.results import by_entity

pytestmark = pytest.mark.in_turn(2)

ROOT = Path(__file__).parents[2]
MARITIME = ROOT / "apps" / "maritime"
RULES = [str(MARITIME / "rules.prolog"), str(MARITIME / "parameters.prolog")]
SMALL = [*RULES, str(MARITIME / "background.prolog")]
BREST = [*RULES, str(MARITIME / "background-brest.prolog")]
DATA = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data")) / "brest-two-vessels" / "events.csv"

Intervals = list[tuple[int, float]]


@pytest.mark.parametrize("files", [SMALL, BREST], ids=["small", "brest"])
def test_the_rules_have_no_warnings(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *files]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"


def test_the_small_file_gives_the_expected_answer(capsys: pytest.CaptureFixture[str]) -> None:
    period = ["--start", "0", "--engine", "reference", "--format", "jsonl"]
    assert main(["run", *SMALL, "--input", str(MARITIME / "events.txt"), *period]) == 0
    printed = capsys.readouterr()
    assert printed.out == (MARITIME / "expected.jsonl").read_text(encoding="utf-8")
    assert printed.err == ""


@pytest.fixture
def brest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> tuple[dict[str, Intervals], list[list[str]]]:
    """The answer for the first day of two vessels, and its records."""
    if not DATA.is_file():
        pytest.skip(f"no real data: {DATA} not found (set HOLDSFOR_DATA)")
    lines = DATA.read_text().splitlines()[:700]
    (tmp_path / "slice.txt").write_text("\n".join(lines))
    arguments = ["--input", str(tmp_path / "slice.txt"), "--engine", "reference", "--format", "jsonl"]
    assert main(["run", *BREST, *arguments]) == 0
    answer = {
        line["fvp"]: [(start, float("inf") if end is None else end) for start, end in line["intervals"]]
        for line in by_entity(capsys.readouterr().out.splitlines())
    }
    return answer, [line.split("|") for line in lines]


def test_only_the_gap_holds_in_a_gap(brest: tuple[dict[str, Intervals], list[list[str]]]) -> None:
    answer, _ = brest
    for vessel in ("227574020", "227705102"):
        gaps = [gap for place in ("near_port", "open_sea") for gap in answer.get(f"gap({vessel})={place}", [])]
        assert gaps
        for fluent in ("stopped", "low_speed", "changing_speed", "speed_class", "under_way", "towing_speed"):
            for fvp, intervals in answer.items():
                if fvp.startswith(f"{fluent}({vessel})"):
                    assert not any(overlap(gap, interval) for gap in gaps for interval in intervals), fvp


def test_under_way_follows_the_velocities(brest: tuple[dict[str, Intervals], list[list[str]]]) -> None:
    answer, records = brest
    gaps = {(fields[2], fields[3]) for fields in records if fields[0] == "gap_start"}
    for fields in records:
        if fields[0] == "velocity" and (fields[2], fields[3]) not in gaps:
            next_point = int(fields[2]) + 1
            holds = any(start <= next_point < end for start, end in answer[f"under_way({fields[3]})=true"])
            assert holds == (float(fields[4]) >= 0.5)


def test_a_rendezvous_takes_time_and_proximity(brest: tuple[dict[str, Intervals], list[list[str]]]) -> None:
    answer, records = brest
    close = [(int(fields[2]), int(fields[3])) for fields in records if fields[0] == "proximity"]
    meetings = answer["rendezvous(227574020,227705102)=true"]
    assert len(meetings) > 5
    for start, end in meetings:
        assert end - start > 240
        assert any(from_ <= start and end <= to for from_, to in close)


def overlap(one: tuple[int, float], other: tuple[int, float]) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def test_generated_fishing_vessels_trawl_and_rescue_vessels_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = tmp_path / "events.txt"
    arguments = ["--entities", "300", "--duration", "12h", "--seed", "4", "-o", str(events)]
    assert main(["generate", "maritime", *arguments]) == 0
    generated = events.with_suffix(".background.prolog")
    types = dict(re.findall(r"vessel_type\((\d+), (\w+)\)", generated.read_text()))
    chosen = {v for kind in ("fishing", "rescue") for v in [vessel for vessel in types if types[vessel] == kind][:6]}
    lines = [line for line in events.read_text().splitlines() if line.split("|")[3] in chosen]
    events.write_text("\n".join(lines))
    files = [*RULES, str(MARITIME / "manoeuvres.prolog"), str(generated)]
    answer = answer_of([*files, "--input", str(events), "--start", "0"], capsys)
    for activity, kind in (("trawling", "fishing"), ("search_and_rescue", "rescue")):
        found = {fvp: spans for fvp, spans in answer.items() if fvp.startswith(f"{activity}(")}
        assert found
        for fvp, spans in found.items():
            assert types[fvp.removeprefix(f"{activity}(").split(")")[0]] == kind
            assert all(end - start > 3600 for start, end in spans)
