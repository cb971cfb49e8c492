"""Voting on real data: motions are always in one state, and the result is the count of the votes."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.apps.answers import Intervals, answer_of
from tests.apps.data import real_data
from tests.apps.runs import RUNS

MOTIONS = ("5", "8")
LAST = 19


@pytest.fixture
def records() -> list[list[str]]:
    """Two procedures of two motions, with every third voter."""
    lines = [line.split("|") for line in real_data("voting", "events.csv").read_text().splitlines()]
    lines = [fields for fields in lines if fields[4] in MOTIONS and int(fields[2]) <= LAST]
    return [fields for fields in lines if fields[0] != "vote" or int(fields[3]) % 3 == 0]


@pytest.fixture
def answer(records: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Intervals]:
    (tmp_path / "slice.txt").write_text("\n".join("|".join(fields) for fields in records))
    arguments = ["--input", str(tmp_path / "slice.txt"), "--start", "0", "--end", str(LAST)]
    return answer_of([*RUNS["voting"].files, *arguments], capsys)


def holds(answer: dict[str, Intervals], fvp: str, time: int) -> bool:
    return any(start <= time < end for start, end in answer.get(fvp, []))


def test_a_motion_is_always_in_one_state(answer: dict[str, Intervals]) -> None:
    for motion in MOTIONS:
        for time in range(LAST + 1):
            states = [
                s for s in ("null", "proposed", "voting", "voted") if holds(answer, f"status({motion})={s}", time)
            ]
            assert len(states) == 1


def test_the_result_is_the_count_of_the_last_votes(records: list[list[str]], answer: dict[str, Intervals]) -> None:
    n_results = 0
    for motion in MOTIONS:
        for start, end in answer[f"status({motion})=voting"]:
            tally = count(records, motion, start, int(end))
            result = "carried" if tally["aye"] > tally["nay"] else "not_carried"
            assert any(begin == end for begin, _ in answer[f"result({motion})={result}"])
            n_results += 1
    assert n_results == 4


def count(records: list[list[str]], motion: str, start: int, end: int) -> dict[str, int]:
    """The votes cast while the ballot is open, without those at its last time-point."""
    cast: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for fields in records:
        if fields[0] == "vote" and fields[4] == motion and start <= int(fields[2]) < end - 1:
            cast[fields[3]][int(fields[2])].add(fields[5])
    last = [votes[max(votes)] for votes in cast.values()]
    return {choice: sum(vote == {choice} for vote in last) for choice in ("aye", "nay")}


def test_only_chairs_are_sanctioned_and_for_eight_time_points_at_least(answer: dict[str, Intervals]) -> None:
    sanctions = {fvp: spans for fvp, spans in answer.items() if fvp.startswith("sanctioned(") and fvp.endswith("true")}
    assert len(sanctions) > 5
    for fvp, spans in sanctions.items():
        assert int(fvp.removeprefix("sanctioned(").split(")")[0]) % 10 == 0
        assert all(end - start >= 8 for start, end in spans)
