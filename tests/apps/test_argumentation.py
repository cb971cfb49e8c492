"""Argumentation: a game ends after its rounds, for all moves of the players."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.answers import answer_of
from tests.apps.runs import RUNS


@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
def test_a_game_ends_after_its_rounds(rounds: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, background = RUNS["argumentation"].files
    knowledge = Path(background).read_text(encoding="utf-8").replace("rounds(3)", f"rounds({rounds})")
    (tmp_path / "background.prolog").write_text(knowledge)
    events = tmp_path / "events.txt"
    assert main(["generate", "argumentation", "--entities", "8", "--duration", "80", "-o", str(events)]) == 0
    began = {
        fields[3]: int(fields[2])
        for fields in (line.split("|") for line in events.read_text().splitlines())
        if fields[0] == "begin"
    }
    end = str(max(began.values()) + 20 * rounds + 1)
    files = [rules, str(tmp_path / "background.prolog")]
    answer = answer_of([*files, "--input", str(events), "--start", "0", "--end", end], capsys)
    for game, begin in began.items():
        assert [len(answer[f"turn({game})={player}"]) for player in ("proponent", "opponent")] == [rounds, rounds]
        ((over, still),) = answer[f"turn({game})=over"]
        assert begin < over <= begin + 20 * rounds + 1
        assert still == float("inf")
        winners = [answer.get(f"winner({game})={player}", []) for player in ("proponent", "opponent")]
        assert sorted(map(len, winners)) == [0, 1]


def test_at_most_one_player_has_the_floor(capsys: pytest.CaptureFixture[str]) -> None:
    run = RUNS["argumentation"]
    answer = answer_of(run.arguments[1:], capsys)
    speaking: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for fvp, spans in answer.items():
        if fvp.startswith("power("):
            speaking[fvp.split("speak(")[1]] += spans
    assert len(speaking) == 2
    for spans in speaking.values():
        ordered = sorted(spans)
        assert all(before[1] <= after[0] for before, after in pairwise(ordered))
