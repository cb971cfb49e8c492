"""Fleet management: generated vehicles with late and corrected records, and the recorded taxis of the README."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.generators import NO_CORRECTIONS, ON_TIME, Corrections, Lateness, model_of, pieces, write_text
from holdsfor.syntax.printer import show
from tests.apps.data import ROOT, real_data
from tests.oracle.questions import Question, ask

FLEET = ROOT / "apps" / "fleet"
RULES = [str(FLEET / "rules.prolog"), str(FLEET / "parameters.prolog")]
HOUR = 3600
LATE = Lateness(0.3, "gamma", (2, HOUR / 2))
CORRECTED = Corrections(0.2, LATE)


@pytest.fixture(scope="module")
def taxis() -> tuple[Any, Any]:
    """The positions, and the result of the script of the README."""
    file = real_data("taxi", "taxi.parquet")
    readme = (FLEET / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDSFOR_DATA", str(file.parents[1]))
        patch.chdir(ROOT)
        exec(block, found)
    return found["taxis"], found["result"]


def test_recorded_taxis_speed_as_a_loop_over_their_positions_says(taxis: tuple[Any, Any]) -> None:
    positions, result = taxis
    speeds: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for taxi, time, speed in zip(*(positions[name].to_pylist() for name in ("taxi", "time", "speed")), strict=True):
        speeds[taxi][time].add(speed)
    n_intervals = 0
    for taxi, by_time in speeds.items():
        expected = list(speeding(by_time))
        n_intervals += len(expected)
        assert result.holds_for(f"over_speeding({taxi})=true") == expected
    assert n_intervals > 1000


def speeding(by_time: dict[int, set[int]]) -> Iterator[tuple[int, int | None]]:
    """The intervals of a taxi above 80 km/h; at a time-point with several speeds, one below ends the interval."""
    begin = None
    for time, found in sorted(by_time.items()):
        if begin is not None and min(found) <= 80:
            yield begin, time + 1
            begin = None
        if begin is None and max(found) > 80 and min(found) > 80:
            begin = time + 1
    if begin is not None:
        yield begin, None


def written(folder: Path, entities: int, duration: int, **faults: Any) -> list[str]:
    """The arguments of a run over a generated stream."""
    model = model_of("fleet", entities=entities, seed=1)
    (folder / "vehicles.prolog").write_text(model.background() or "")
    with (folder / "events.txt").open("wb") as file:
        write_text(pieces(model, duration, 1, **faults), model.vocabulary, file)
    return [*RULES, str(folder / "vehicles.prolog"), "--input", str(folder / "events.txt"), "--start", "0"]


def test_every_fluent_is_recognised_in_generated_streams(tmp_path: Path) -> None:
    arguments = written(tmp_path, 12, 48 * HOUR)
    result = hf.recognise(hf.load(*arguments[:3]), tmp_path / "events.txt")
    assert {show(fvp).partition("(")[0] for fvp in result.intervals} == {
        *("over_speeding", "dangerous_driving", "uneconomic_driving", "refuel_opportunity"),
        *("engine_on_at_halt", "idling"),
    }
    for vehicle in (f"v{i}" for i in range(12)):
        for start, _ in result.holds_for(f"dangerous_driving({vehicle})=true"):
            assert f"over_speeding({vehicle})=true" in result.holds_at(start - 1)


def test_late_and_corrected_records_give_the_answer_of_records_on_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for lateness, corrections in ((ON_TIME, NO_CORRECTIONS), (LATE, CORRECTED)):
        arguments = written(tmp_path, 3, 6 * HOUR, lateness=lateness, corrections=corrections)
        for options in (["--engine", "reference"], [], ["--window", "12h", "--step", "30m", "--final"]):
            assert main(["run", *arguments, "--end", str(6 * HOUR), *options]) == 0
            printed = capsys.readouterr()
            assert "unmatched" not in printed.err
            answers.append(printed.out.splitlines()[1:])
    assert all(answer == answers[0] for answer in answers)
    assert len(answers[0]) > 8


@pytest.mark.parametrize("window", [None, (80, 20)], ids=["one query", "windows"])
def test_the_engines_agree_with_the_oracle_on_the_small_file(window: tuple[int, int] | None) -> None:
    files = [FLEET / f"{name}.prolog" for name in ("rules", "parameters", "background")]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    # The oracle visits every time-point: units of ten seconds.
    text = re.sub(r"(idling_time\(\w+), (\d+)0\)", r"\1, \2)", text)
    lines = tuple(in_tens(line) for line in (FLEET / "events.txt").read_text().splitlines())
    length, step = window or (None, None)
    question = Question(text, lines, 200, window=length, step=step)
    expected = ask("oracle", question)
    assert {"idling(van_1)=true", "dangerous_driving(van_1)=true", "refuel_opportunity(van_1)=true"} <= set(expected)
    for engine in ("windows",) if window else ("reference", "batch"):
        assert ask(engine, question) == expected


def in_tens(line: str) -> str:
    name, arrival, occurrence, *rest = line.split("|")
    return "|".join([name, str(int(arrival) // 10), str(int(occurrence) // 10), *rest])
