"""Feedback: endless loops continue with their period until the end of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apps.answers import Intervals, answer_of
from tests.apps.runs import RUNS

IMMUNE, PHAGE, BACKGROUND = RUNS["feedback"].files


def recognised(
    rules: str, lines: list[str], end: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> dict[str, Intervals]:
    (folder / "events.txt").write_text("\n".join(lines))
    arguments = ["--input", str(folder / "events.txt"), "--start", "0", "--end", str(end)]
    return answer_of([rules, BACKGROUND, *arguments], capsys)


@pytest.mark.parametrize("end", [100, 400, 1000])
def test_cro_oscillates_in_a_fed_cell(end: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = recognised(PHAGE, ["enter|1|1|c"], end, tmp_path, capsys)
    # Present from 8 on for 5 time-points, until Cro represses itself, and again after 7.
    expected: Intervals = [(start, start + 5) for start in range(9, end + 2, 12)]
    if expected[-1][1] > end + 1:
        expected[-1] = (expected[-1][0], float("inf"))
    assert answer["protein(c,cro)=present"] == expected
    assert "protein(c,ci)=present" not in answer


def test_a_chronic_infection_relapses_every_25_time_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = recognised(IMMUNE, ["infect|0|0|h", "inject|0|0|h"], 500, tmp_path, capsys)
    starts = [start for start, _ in answer["antigen(h)=present"]]
    assert starts == [1, *range(36, 502, 25)]


def test_memory_makes_the_second_response_faster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = recognised(IMMUNE, ["inject|0|0|h", "inject|100|100|h"], 200, tmp_path, capsys)
    first, second = (end - start for start, end in answer["antigen(h)=present"])
    assert (first, second) == (15, 5)
