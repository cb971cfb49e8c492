"""Random programs: holdsfor answers in windows what RTEC answers when one window covers everything."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.rtec.examples import Example, compare, compile_by_rtec, inside, run, run_by_rtec
from tests.rtec.random_programs import BACKGROUND, END, random_program, random_records

N_PROGRAMS = 40
WHOLE = Example("toy", lambda _: [], 0, END, END + 1, 10)
WINDOWS = replace(WHOLE, window=20)


def test_windows_of_holdsfor_answer_what_rtec_answers_in_one(
    tmp_path: Path, count: Callable[[str, int, int], None]
) -> None:
    n_answers = 0
    for seed in range(N_PROGRAMS):
        folder = tmp_path / str(seed)
        rules, background, records = _written(folder, random.Random(seed))
        compiled = compile_by_rtec(rules.read_text(encoding="utf-8"), folder)
        theirs = run_by_rtec(WHOLE, [background, compiled], [records], folder)
        ours = run(WINDOWS, [rules, background], [records], folder)
        found = compare({time: inside(known, time - WINDOWS.window) for time, known in theirs.items()}, ours)
        assert found.different == {}, f"program {seed}"
        n_answers += found.n_answers
    count("random programs", n_answers, 0)


def _written(folder: Path, chance: random.Random) -> tuple[Path, Path, Path]:
    folder.mkdir()
    files = folder / "source.prolog", folder / "background.prolog", folder / "records.csv"
    for file, text in zip(files, (random_program(chance), BACKGROUND, random_records(chance)), strict=True):
        file.write_text(text, encoding="utf-8")
    return files
