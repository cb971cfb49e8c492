"""RTEC's applications on RTEC and on holdsfor: the same rules, background knowledge, records and windows, in one run.

`RTEC=path python benchmarks/rtec.py [--ten] [--only WORD]` prints a table and writes `build/benchmarks/rtec.json`.
Seconds are processor seconds of recognition on one core. Those of RTEC are the sum that its log has of all windows,
under SWI-Prolog: reasoning, and the list of all results. Those of holdsfor are of all query times with their reports,
and of the settled results in one report. Reading, compiling and writing are left out on both sides. The answers of
every query time are compared in the same run; those that differ have an explanation in `tests/rtec/differences.py`.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from rtec_inputs import WORKS, Input, Work, prepare
from showing import print_table
from streams import Stream
from timing import write_results

from holdsfor.analysis.pipeline import compile_files
from holdsfor.errors import Diagnostics
from tests.rtec.examples import Compared, Known, compare, compile_by_rtec, run, run_by_rtec

REPETITIONS = 5
LONGEST = 6 * 3600  # seconds that RTEC may take


def measured(work: Work, n: int, folder: Path) -> dict[str, Any]:
    """Records, seconds and answers of a work with every entity n times."""
    given = prepare(work, n, folder)
    rules = folder / "all_rules.prolog"
    rules.write_text(given.rules, encoding="utf-8")
    theirs, rtec_seconds = run_rtec(work, given, folder)
    stream = as_stream(work, [rules, *given.background], given)
    every, once = holdsfor_seconds(stream, work.example.window, work.example.step)
    found = compare(theirs, run(work.example, [rules, *given.background], given.records, folder))
    check(work, found)
    return {
        "work": work.name,
        "times": n,
        "records": given.n_records,
        "rtec_seconds": rtec_seconds,
        "every_window_seconds": every,
        "settled_once_seconds": once,
        "answers": found.n_answers,
        "explained": len(found.different),
    }


def run_rtec(work: Work, given: Input, folder: Path) -> tuple[Known, float]:
    """The answers of RTEC, and the processor seconds of recognition that it logs."""
    described = [*given.background, compile_by_rtec(given.rules, folder)]
    known = run_by_rtec(work.example, described, given.records, folder, seconds=LONGEST)
    (log,) = folder.glob("*-log.txt")
    windows = re.findall(r"\+(\d+)", log.read_text(encoding="utf-8").splitlines()[0])
    return known, sum(map(int, windows)) / 1000


def as_stream(work: Work, described: list[Path], given: Input) -> Stream:
    content = b"".join(file.read_bytes() for file in given.records)
    example = work.example
    return Stream(compile_files(described, Diagnostics()), content, example.tick, example.start, example.end)


def holdsfor_seconds(stream: Stream, window: int, step: int) -> tuple[float, float]:
    """Processor seconds with every window reported, and with the settled results in one report."""
    n = max(1, min(REPETITIONS, 2_000_000 // stream.n_records))
    return stream.report_seconds(window, n, step), stream.settle_seconds(window, n, step)


def check(work: Work, found: Compared) -> None:
    """Stop if the systems disagree about a fluent without a known reason."""
    unexplained = sorted(found.names - set(work.differences))
    if unexplained:
        examples = [(key, both) for key, both in found.different.items() if key[1].startswith(tuple(unexplained))]
        raise SystemExit(f"{work.name}: RTEC and holdsfor differ in {unexplained}, for example {examples[:3]}")


def cells(row: dict[str, Any]) -> list[str]:
    theirs, every, once = (row[key] for key in ("rtec_seconds", "every_window_seconds", "settled_once_seconds"))
    name = row["work"] if row["times"] == 1 else f"{row['work']}, × {row['times']}"
    ratios = [f"{theirs / ours:,.0f}" for ours in (every, once)]
    agree = f"{row['answers'] - row['explained']:,} of {row['answers']:,}"
    return [name, f"{row['records']:,}", f"{theirs:.2f}", f"{every:.3f}", f"{once:.3f}", *ratios, agree]


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast are RTEC's applications on RTEC and on holdsfor?")
    parser.add_argument("--ten", action="store_true", help="also with every entity ten times")
    parser.add_argument("--only", default="", metavar="WORD", help="only the applications whose name has this word")
    options = parser.parse_args()
    works = [work for work in WORKS if options.only in work.name]
    rows = []
    for n in (1, 10) if options.ten else (1,):
        for work in works:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(measured(work, n, Path(folder)))
                print("|", " | ".join(cells(rows[-1])), "|", flush=True)
    headings = [
        "application",
        "records",
        "RTEC",
        "every window",
        "settled once",
        "times",
        "times",
        "answers that agree",
    ]
    print_table(headings, map(cells, rows))
    write_results("rtec", rows)


if __name__ == "__main__":
    main()
