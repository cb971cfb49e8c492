"""Maritime patterns with Allen's relations: for every pattern a day with the pattern and a near miss, made by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.runtime import windows
from tests.results import by_entity

pytestmark = pytest.mark.in_turn(2)

ROOT = Path(__file__).parents[2]
MARITIME = ROOT / "apps" / "maritime"
RULES = [str(MARITIME / name) for name in ("rules.prolog", "parameters.prolog", "allen/patterns.prolog")]
SMALL = [*RULES, str(MARITIME / "background.prolog")]
BREST = [*RULES, str(MARITIME / "background-brest.prolog")]
DATA = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data")) / "brest-two-vessels" / "events.csv"


WAYS = {
    "reference": ("--engine", "reference"),
    "columnar": ("--engine", "columnar"),
    "short windows": ("--window", "7", "--final", "--allen-memory", "1d"),
    "long windows": ("--window", "600", "--step", "250", "--final", "--allen-memory", "1d"),
}


def recognised(
    files: list[str], events: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> dict[str, list[list[int | None]]]:
    arguments = ["run", *files, "--input", str(events), "--format", "jsonl", *options]
    assert main(arguments) == 0
    return {line["fvp"]: line["intervals"] for line in by_entity(capsys.readouterr().out.splitlines())}


def test_the_patterns_have_no_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *SMALL]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"


def event(name: str, time: int, *arguments: object) -> str:
    return "|".join(map(str, (name, time, time, *arguments)))


def speed(vessel: str, time: int, knots: float, heading: float = 90.0) -> str:
    return event("velocity", time, vessel, knots, 90.0, heading)


def close(one: str, two: str, start: int, end: int) -> str:
    return f"proximity|{start}|{start}|{end}|true|{one}|{two}"


def at(name: str, time: int, vessel: str = "carla") -> str:
    return event(name, time, vessel)


def area(name: str, time: int, where: str, vessel: str = "carla") -> str:
    return event(name, time, vessel, where)


GAP = [at("gap_start", 20), at("gap_end", 30)]
IN_ROADS = [area("entersArea", 10, "roads")]
REST = [area("entersArea", 10, "roads"), at("stop_start", 10), at("stop_end", 3000)]
MEETING = [
    at("slow_motion_start", 10),
    at("slow_motion_start", 10, "tessa"),
    at("slow_motion_end", 400),
    at("slow_motion_end", 400, "tessa"),
    close("carla", "tessa", 20, 380),
]
COAST = [area("entersArea", 10, "west_coast"), speed("carla", 20, 9.0), area("leavesArea", 60, "west_coast")]

CASES: list[tuple[str, list[str], list[list[int]], list[str]]] = [
    ("disappeared_in_area(carla,anchorage)", [*IN_ROADS, *GAP], [[21, 31]], GAP),
    (
        "silent_visit(carla,anchorage)",
        [*IN_ROADS, *GAP, area("entersArea", 30, "roads"), area("leavesArea", 50, "roads")],
        [[21, 31]],
        [*IN_ROADS, *GAP, area("entersArea", 31, "roads"), area("leavesArea", 50, "roads")],
    ),
    (
        "suspicious_rendezvous(carla,tessa)",
        [*GAP, close("carla", "tessa", 15, 40)],
        [[15, 40]],
        [*GAP, close("carla", "tessa", 21, 40)],
    ),
    (
        "met_in_silence(carla,tessa)",
        [*GAP, at("gap_start", 18, "tessa"), at("gap_end", 40, "tessa"), close("carla", "tessa", 24, 28)],
        [[24, 28]],
        [*GAP, close("carla", "tessa", 24, 28)],
    ),
    (
        "silent_after_rendezvous(carla,tessa)",
        [*MEETING, at("gap_start", 900), at("gap_end", 990)],
        [[901, 991]],
        [*MEETING, at("gap_start", 2), at("gap_end", 5)],
    ),
    (
        "slow_arrival(carla)",
        [
            at("slow_motion_start", 5),
            area("entersArea", 10, "harbour"),
            at("slow_motion_end", 20),
            area("leavesArea", 40, "harbour"),
        ],
        [[11, 21]],
        [area("entersArea", 10, "harbour"), at("slow_motion_start", 15), at("slow_motion_end", 20)],
    ),
    (
        "straight_to_port(carla)",
        [speed("carla", 5, 12.0), area("entersArea", 10, "harbour"), speed("carla", 20, 0.1)],
        [[6, 11]],
        [speed("carla", 5, 12.0), speed("carla", 9, 0.1), area("entersArea", 10, "harbour")],
    ),
    ("rushed_out(carla)", COAST, [[21, 61]], [*COAST, speed("carla", 50, 3.0)]),
    ("warned_near_coast(carla)", [*COAST, speed("carla", 50, 3.0)], [[11, 61]], COAST),
    (
        "waiting_for_port(carla)",
        [at("stop_start", 5), at("stop_end", 9), area("entersArea", 50, "harbour")],
        [[6, 10]],
        [area("entersArea", 2, "harbour"), area("leavesArea", 4, "harbour"), at("stop_start", 5), at("stop_end", 9)],
    ),
    (
        "drifted_to_rest(carla)",
        [speed("carla", 5, 9.0), speed("carla", 10, 9.0, 180.0), speed("carla", 20, 0.1, 180.0)],
        [[11, 21]],
        [speed("carla", 5, 9.0), speed("carla", 10, 9.0, 180.0), speed("carla", 15, 9.0), speed("carla", 20, 0.1)],
    ),
    (
        "recovered_drift(carla)",
        [speed("carla", 5, 9.0), speed("carla", 10, 9.0, 180.0), speed("carla", 15, 9.0), speed("carla", 20, 0.1)],
        [[11, 16]],
        [speed("carla", 5, 9.0), speed("carla", 10, 9.0, 180.0), speed("carla", 20, 0.1, 180.0)],
    ),
    (
        "slow_departure(carla)",
        [speed("carla", 5, 2.0), speed("carla", 10, 12.0), speed("carla", 20, 0.1)],
        [[6, 11]],
        [speed("carla", 5, 12.0), speed("carla", 10, 2.0), speed("carla", 20, 0.1)],
    ),
    (
        "steady_passage(carla)",
        [speed("carla", 5, 12.0), speed("carla", 20, 0.1)],
        [[6, 21]],
        [speed("carla", 5, 12.0), speed("carla", 15, 2.0), speed("carla", 20, 0.1)],
    ),
    (
        "visited_at_rest(carla,tessa)",
        [*REST, close("carla", "tessa", 100, 200)],
        [[100, 200]],
        [*REST, close("carla", "tessa", 100, 3500)],
    ),
    (
        "handover(carla,tessa)",
        [
            at("slow_motion_start", 10),
            at("slow_motion_start", 20, "tessa"),
            at("slow_motion_end", 30),
            at("slow_motion_end", 40, "tessa"),
            close("carla", "tessa", 5, 28),
        ],
        [[21, 28]],
        [
            at("slow_motion_start", 10),
            at("slow_motion_start", 20, "tessa"),
            at("slow_motion_end", 30, "tessa"),
            at("slow_motion_end", 40),
            close("carla", "tessa", 5, 28),
        ],
    ),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("fvp", "day", "expected", "near_miss"), CASES, ids=[case[0] for case in CASES])
def test_the_pattern_holds_on_its_day_and_not_on_the_near_miss(
    fvp: str,
    day: list[str],
    expected: list[list[int]],
    near_miss: list[str],
    way: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = tmp_path / "events.txt"
    for records, answer in ((day, expected), (near_miss, [])):
        events.write_text("\n".join(records) + "\n", encoding="utf-8")
        found = recognised(SMALL, events, capsys, "--start", "0", "--end", "4000", *WAYS[way])
        assert found.get(f"{fvp}=true", []) == answer


def test_every_pattern_has_a_case() -> None:
    heads = [line.split("(")[1] for line in Path(RULES[2]).read_text().splitlines() if line.startswith("holdsFor(")]
    assert sorted(heads) == sorted(fvp.split("(")[0] for fvp, *_ in CASES)


TWO_DAYS = ("--start", "1445079365", "--end", "1445230565", "--allen-memory", "30d")


@pytest.mark.parametrize(
    "way",
    [
        ("--engine", "reference"),
        ("--window", "4h", "--step", "2h", "--final"),
        ("--window", "1d", "--step", "6h", "--final"),
    ],
    ids=["reference", "short windows", "long windows"],
)
def test_all_evaluations_of_real_vessels_agree(
    way: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proximity records arrive an hour late."""
    events = real_vessels(tmp_path)
    monkeypatch.setattr(windows, "_WORTH_A_WINDOW", 1)
    expected = recognised(BREST, events, capsys, *TWO_DAYS)
    assert recognised(BREST, events, capsys, *TWO_DAYS, *way) == expected


def real_vessels(folder: Path) -> Path:
    """The beginning of the records of two vessels."""
    if not DATA.is_file():
        pytest.skip(f"no real data: {DATA} not found (set HOLDSFOR_DATA)")
    events = folder / "slice.txt"
    events.write_text("\n".join(DATA.read_text().splitlines()[:3000]))
    return events


def test_rules_and_library_agree_on_real_vessels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The intervals of the operands, related by `hf.allen`, are the intervals of the pattern."""
    events = real_vessels(tmp_path)
    found = recognised(BREST, events, capsys, *TWO_DAYS)

    def spans(fvp: str) -> tuple[list[int], list[int]]:
        own = found[f"{fvp}=true"]
        return [start for start, _ in own if start is not None], [hf.intervals.OPEN if e is None else e for _, e in own]

    ferry = "227705102"
    coast, speeding = spans(f"within_area({ferry},coast)"), spans(f"speeding_near_coast({ferry})")
    way, port = spans(f"under_way({ferry})"), spans(f"within_area({ferry},port)")
    for pattern, (starts, ends) in {
        "rushed_out": hf.allen.relate(speeding, coast, "finishes"),
        "warned_near_coast": hf.allen.relate(coast, speeding, "contains"),
        "straight_to_port": hf.allen.relate(way, port, "overlaps", "complement"),
    }.items():
        assert len(starts) > 0
        assert spans(f"{pattern}({ferry})") == (starts.tolist(), ends.tolist())
