"""Surveillance: the small file gives the answers computed by hand, and `close` holds at the right frames.

`close` is compared with two other definitions: one computed here, frame by frame, and one with simple fluents that
look one frame ahead.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.answers import Intervals, answer_of

ROOT = Path(__file__).parents[2]
ACTIVITY = ROOT / "apps" / "activity"
RULES = [str(ACTIVITY / "rules.prolog"), str(ACTIVITY / "background.prolog")]
DATA = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data")) / "caviar"
LIMITS = (24, 25, 30, 34)


TWIN = """
% An id is at a place at the next frame if it gets there now, or is there and stays.
initiatedAt(near(A, B, Limit)=true, T) :-
    happensAt(start(coord(A, XA, YA)=true), T), happensAt(start(coord(B, XB, YB)=true), T),
    A @< B, reach(Limit), sqrt((XA - XB)**2 + (YA - YB)**2) =< Limit.
initiatedAt(near(A, B, Limit)=true, T) :-
    happensAt(start(coord(A, XA, YA)=true), T),
    holdsAt(coord(B, XB, YB)=true, T), not happensAt(end(coord(B, XB, YB)=true), T),
    A @< B, reach(Limit), sqrt((XA - XB)**2 + (YA - YB)**2) =< Limit.
initiatedAt(near(A, B, Limit)=true, T) :-
    happensAt(start(coord(B, XB, YB)=true), T),
    holdsAt(coord(A, XA, YA)=true, T), not happensAt(end(coord(A, XA, YA)=true), T),
    A @< B, reach(Limit), sqrt((XA - XB)**2 + (YA - YB)**2) =< Limit.
terminatedAt(near(A, B, Limit)=true, T) :-
    happensAt(end(coord(A, _, _)=true), T), id(B), A @< B, reach(Limit), not initiatedAt(near(A, B, Limit)=true, T).
terminatedAt(near(A, B, Limit)=true, T) :-
    happensAt(end(coord(B, _, _)=true), T), id(A), A @< B, reach(Limit), not initiatedAt(near(A, B, Limit)=true, T).
grounding(near(A, B, Limit)=true) :- id(A), id(B), A @< B, reach(Limit).
"""


def test_the_rules_have_no_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *RULES]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"


def test_the_small_file_gives_the_expected_answer(capsys: pytest.CaptureFixture[str]) -> None:
    period = ["--tick", "40", "--start", "0", "--engine", "reference", "--format", "jsonl"]
    assert main(["run", *RULES, "--input", str(ACTIVITY / "events.txt"), *period]) == 0
    printed = capsys.readouterr()
    assert printed.out == (ACTIVITY / "expected.jsonl").read_text(encoding="utf-8")
    assert printed.err == ""


def test_closeness_holds_at_exactly_the_frames_with_a_small_distance(capsys: pytest.CaptureFixture[str]) -> None:
    events = ACTIVITY / "events.txt"
    answer = answer_of(["--tick", "40", *RULES, "--input", str(events), "--start", "0"], capsys)
    assert closeness(answer, "close") == distances(events.read_text().splitlines())


def test_simple_fluents_can_define_the_same_closeness(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "twin.prolog").write_text(TWIN)
    arguments = [*RULES, str(tmp_path / "twin.prolog"), "--input", str(ACTIVITY / "events.txt"), "--start", "0"]
    answer = answer_of(arguments, capsys)
    assert closeness(answer, "near") == closeness(answer, "close") != set()


def test_closeness_and_fighting_on_real_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip(f"no real data: {DATA} not found (set HOLDSFOR_DATA)")
    files = [DATA / "movementB.csv", DATA / "appearance.csv"]
    lines = [line for file in files for line in file.read_text().splitlines()]
    lines = [line for line in lines if 876_000 <= int(line.split("|")[2]) <= 877_600]
    (tmp_path / "slice.txt").write_text("\n".join(lines))
    answer = closed(answer_of(["--tick", "40", *RULES, "--input", str(tmp_path / "slice.txt")], capsys), 877_600)
    assert closeness(answer, "close") == distances(lines)

    abrupt = frames_of(lines, "abrupt")
    passive = frames_of(lines, "inactive")
    fighting = {
        (time, a, b)
        for time, a, b, limit in distances(lines)
        if limit == 24 and {(time, a), (time, b)} & abrupt and not {(time, a), (time, b)} & passive
    }
    assert len(fighting) > 20
    assert points(answer, "fighting") == fighting


def closed(answer: dict[str, Intervals], last: int) -> dict[str, Intervals]:
    """The answer with open intervals closed after the last frame, where fluents given by time-points are open."""
    return {fvp: [(start, min(end, last + 40)) for start, end in intervals] for fvp, intervals in answer.items()}


def distances(lines: Iterable[str]) -> set[tuple[int, str, str, int]]:
    """Time-points, pairs of ids in order, and limits that are not below the distance of the pair."""
    places: dict[int, dict[str, tuple[int, int]]] = defaultdict(dict)
    for fields in (line.split("|") for line in lines):
        if fields[0] == "coord":
            places[int(fields[2])][fields[4]] = (int(fields[5]), int(fields[6]))
    return {
        (time, a, b, limit)
        for time, ids in places.items()
        for a, b in combinations(sorted(ids), 2)
        for limit in LIMITS
        if math.dist(ids[a], ids[b]) <= limit
    }


def frames_of(lines: Iterable[str], movement: str) -> set[tuple[int, str]]:
    return {(int(f[2]), f[4]) for f in (line.split("|") for line in lines) if f[0] == movement}


def points(answer: dict[str, Intervals], fluent: str) -> set[tuple[int, str, str]]:
    """The time-points and pairs at which the fluent holds."""
    return {(time, args[0], args[1]) for time, args in _points(answer, fluent)}


def closeness(answer: dict[str, Intervals], fluent: str) -> set[tuple[int, str, str, int]]:
    return {(time, args[0], args[1], int(args[2])) for time, args in _points(answer, fluent)}


def _points(answer: dict[str, Intervals], fluent: str) -> Iterable[tuple[int, list[str]]]:
    for fvp, intervals in answer.items():
        if fvp.startswith(f"{fluent}("):
            args = fvp.removeprefix(f"{fluent}(").removesuffix(")=true").split(",")
            for start, end in intervals:
                for time in range(start, int(end), 40):
                    yield time, args
