"""Speed of the maritime patterns with Allen relations, given the intervals that they relate.

`python benchmarks/allen_patterns.py [VESSELS]` generates 16 days of vessels, recognises the fluents that the patterns
relate, gives these intervals to the patterns alone as input, in one window, and writes
`build/benchmarks/allen_patterns.json`. It prints the best of some runs, on one core, in processor time: of the whole
query, which makes the input intervals maximal and fills the domains, and of the patterns alone. Reading the records is
not included. A second table has the average of a query time in touching windows of 1 to 16 days, as Table 3(c) of the
paper does.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from showing import duration, print_table
from timing import best_seconds, write_results

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.main import main as holdsfor
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.runtime.interval_rules import evaluate_interval_rules
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import each_report
from holdsfor.sources.inputs import read_inputs
from holdsfor.sources.reading import ColumnReading
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Struct, name_and_arity

VESSELS = 420
DAYS = 16
REPETITIONS = 7
MARITIME = Path("apps", "maritime")
PUBLISHED = {2: 0.065, 4: 0.099, 8: 0.156, 16: 0.285}
"""Seconds of RTEC_A for 15 such patterns in windows of some days, with 37 K to 297 K intervals, on other data and
another machine (Mantenoglou, Kelesis and Artikis, KR 2023, Table 3(c))."""


def generated(n_vessels: int, folder: Path) -> tuple[Path, Path]:
    """The records and the background knowledge of a stream."""
    stream, background = folder / "events.txt", folder / "background.prolog"
    size = ["--entities", str(n_vessels), "--duration", f"{DAYS}d", "--seed", "1"]
    holdsfor(["generate", "maritime", *size, "--background", str(background), "-o", str(stream)])
    return stream, background


def patterns_alone(background: Path, folder: Path) -> Compiled:
    """The patterns without the rules of the fluents that they relate, which are input."""
    domains = folder / "domains.prolog"
    lines = (MARITIME / "rules.prolog").read_text(encoding="utf-8").splitlines()
    declared = [line for line in lines if line.startswith(("dynamicDomain(", "grounding("))]
    domains.write_text("\n".join(declared) + "\n", encoding="utf-8")
    return hf.load(MARITIME / "allen" / "patterns.prolog", MARITIME / "parameters.prolog", background, domains)


def related_intervals(patterns: Compiled, stream: Path, background: Path) -> Iterator[str]:
    """Records of the intervals that the patterns relate."""
    rules = hf.load(MARITIME / "rules.prolog", MARITIME / "parameters.prolog", background)
    for fvp, intervals in hf.recognise(rules, stream, start=0, end=DAYS * 86_400).intervals.items():
        fluent, value = fvp.args if isinstance(fvp, Struct) else (fvp, fvp)
        if isinstance(fluent, Struct) and name_and_arity(fluent) in patterns.names.input_fluents:
            fields = "|".join(map(show, (value, *fluent.args)))
            for start, end in intervals:
                yield f"{fluent.name}|{start}|{start}|{DAYS * 86_400 + 1 if end is None else end}|{fields}"
    with stream.open(encoding="utf-8") as lines:
        yield from (line.rstrip() for line in lines if line.startswith("proximity|"))


def given(
    patterns: Compiled, reading: ColumnReading, symbols: Symbols, end: int, window: int | None = None
) -> EngineSession:
    """A session with the intervals, before its first query."""
    session = EngineSession(patterns, start=0, symbols=symbols, window=window)
    for key, records in reading.fluents.items():
        session.insert_columns(key, records.up_to(end))
    return session


def measured(n_vessels: int, folder: Path) -> dict[str, Any]:
    stream, background = generated(n_vessels, folder)
    patterns, intervals = patterns_alone(background, folder), folder / "intervals.txt"
    intervals.write_text("\n".join(related_intervals(patterns, stream, background)) + "\n", encoding="utf-8")
    symbols = Symbols()
    end = DAYS * 86_400
    reading = read_inputs([intervals], patterns.names, 1, symbols)
    sessions = [given(patterns, reading, symbols, end) for _ in range(REPETITIONS)]
    waiting = iter(sessions)
    query = best_seconds(lambda: next(waiting).query(end), REPETITIONS)
    evaluation = sessions[0]._evaluation
    assert evaluation is not None

    def patterns_again() -> None:
        for component in sessions[0].rules.program.components:
            evaluate_interval_rules(component.interval_rules, evaluation)

    return {
        "vessels": n_vessels,
        "patterns": len(patterns.description.interval_rules),
        "input_intervals": reading.n_records,
        "found": sum(table.n for table in evaluation.output.values()),
        "query_seconds": query,
        "seconds": best_seconds(patterns_again, REPETITIONS),
        "windows": [windowed(patterns, intervals, days) for days in (1, 2, 4, 8, 16)],
    }


def windowed(patterns: Compiled, intervals: Path, days: int) -> dict[str, object]:
    """The average seconds and intervals of a query time in touching windows of some days."""
    window, n_windows = days * 86_400, DAYS // days
    runs = []
    for _ in range(3):
        symbols = Symbols()
        reading = read_inputs([intervals], patterns.names, 1, symbols)  # a run consumes its records
        session = given(patterns, reading, symbols, DAYS * 86_400, window)
        session.rules.plan_ahead()
        queries = [window * (i + 1) for i in range(n_windows)]
        session.announce(QueryTimes(0, queries[-1], window, window, 1))
        n_found, began = 0, process_time()
        for report in each_report(session, queries):
            n_found += report.n_intervals
        runs.append(process_time() - began)
    return {
        "days": days,
        "input_intervals": reading.n_records // n_windows,
        "found": n_found // n_windows,
        "seconds": min(runs) / n_windows,
        "published_seconds": PUBLISHED.get(days),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast are patterns with Allen relations recognised?")
    parser.add_argument("vessels", nargs="?", type=int, default=VESSELS)
    with tempfile.TemporaryDirectory() as folder:
        row = measured(parser.parse_args().vessels, Path(folder))
    seconds = [duration(row[key]) for key in ("query_seconds", "seconds")]
    counts = [str(row["patterns"]), f"{row['input_intervals']:,}", f"{row['found']:,}"]
    print_table(["patterns", "input intervals", "found", "query", "patterns alone"], [[*counts, *seconds]])
    print()
    shown = [
        [
            "1 day" if each["days"] == 1 else f"{each['days']} days",
            f"{each['input_intervals']:,}",
            f"{each['found']:,}",
            duration(each["seconds"]),
            "" if each["published_seconds"] is None else duration(each["published_seconds"]),
        ]
        for each in row["windows"]
    ]
    print_table(["window", "input intervals", "found", "query", "RTEC_A, as published"], shown)
    write_results("allen_patterns", [row])


if __name__ == "__main__":
    main()
