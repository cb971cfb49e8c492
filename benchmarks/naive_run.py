"""Rule evaluations of RTEC→ and of RTEC→-naive, both run: Figure 4 of the delayed-effects paper.

`EXPERIMENTS=path python benchmarks/naive_run.py` prints a table and writes `build/benchmarks/naive_run.json`. The
naive system proves delayed effects by the rules (α)–(γ), without a cache; it and RTEC→ are those of the authors'
experiments, with their rules (`peers.py`). The votes are those of the experiments; the messages of NetBill, which are
too large for a checkout, come from the generator of the experiments. Windows are 10 to 80 time-points long, steps ten.
Evaluations and milliseconds are those that the systems log, the average over all query times up to the third full
window. holdsfor recognises the same records with the rules of `apps/`, and counts as
`evaluations.py` does.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from evaluations import OpenSession, counted
from peers import Missing, RtecRun, TooSlow, checkout, command_seconds, program, run_rtec
from showing import duration, print_table
from streams import real
from timing import write_results

WINDOWS = (10, 20, 40, 80)
STEP, FULL, AGENTS, LIMIT = 10, 3, 30, 300
_GENERATOR = Path(__file__).with_name("netbill_records.prolog")


@dataclass(frozen=True)
class Work:
    """A stream of an application, and the folder of the experiments with its rules."""

    name: str
    app: str
    folder: str
    records: Callable[[Path], Path]


def votes(_: Path) -> Path:
    return checkout("EXPERIMENTS", "systems", "rtecnaive", "examples", "voting", "dataset", "csv", "voting.csv")


def messages(folder: Path) -> Path:
    """The messages of agents, from the generator of the experiments; those at time-point 0 are lost in RTEC."""
    dataset = checkout("EXPERIMENTS", "systems", "rtecnaive", "examples", "netbillp", "dataset", "prolog")
    file, generator = folder / "netbill.csv", dataset / "netbill_csv_data_generator.prolog"
    numbers = ("0", "110", str(AGENTS), "1")
    command_seconds([program("swipl"), str(_GENERATOR), "--", str(generator), str(file), *numbers], folder)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("".join(f"{line}\n" for line in lines if line.split("|")[1] != "0"), encoding="utf-8")
    return file


WORKS = (
    Work("voting, 1,000 agents", "voting", "voting", votes),
    Work(f"NetBill with postponement, {AGENTS} agents", "netbill", "netbillp", messages),
    Work(f"NetBill without, {AGENTS} agents", "netbill", "netbillnop", messages),
)


def run(work: Work, system: str, records: Path, window: int, folder: Path) -> RtecRun:
    """A run up to the last full window."""
    example = checkout("EXPERIMENTS", "systems", system, "examples", work.folder)
    rules = folder / "rules.prolog"
    rules.write_bytes((example / "resources" / "patterns" / "rules.prolog").read_bytes())
    domain = example / "dataset" / "auxiliary" / f"domain_{window}.prolog"
    return run_rtec(system, work.folder, (rules, domain, records), window, STEP, last_query(window), folder, LIMIT)


def last_query(window: int) -> int:
    return window + STEP * (FULL - 1)


def own(work: Work, records: Path, window: int) -> tuple[float, float]:
    """The evaluations and seconds of holdsfor at the same query times."""
    evaluations, seconds = [], []
    stream = real(work.app, records)
    timed = stream.run(window, STEP).seconds_of_each()
    session = stream.run(window, STEP, OpenSession)
    reports = session.reports()
    for at, spent in zip(session.queries, timed, strict=True):
        with counted() as count:
            next(reports)
        if at <= last_query(window):
            evaluations.append(count.n)
            seconds.append(spent)
    return mean(evaluations), mean(seconds)


def measured(work: Work, window: int) -> dict[str, Any]:
    row: dict[str, Any] = {"stream": work.name, "window": window}
    with tempfile.TemporaryDirectory() as folder:
        records = work.records(Path(folder))
        row["engine"], row["engine_seconds"] = own(work, records, window)
        for system in ("rtec", "rtecnaive"):
            ran = run(work, system, records, window, Path(folder))
            row[system] = ran.evaluations / len(ran.seconds)
            row[f"{system}_seconds"] = mean(ran.seconds)
    return row


def cells(row: dict[str, Any]) -> list[str]:
    shown = [row["stream"], str(row["window"])]
    for system in ("rtecnaive", "rtec", "engine"):
        shown += [f"{row[system]:,.0f}", duration(row[f"{system}_seconds"])]
    return shown


def main() -> None:
    rows = []
    for work in WORKS:
        for window in WINDOWS:
            try:
                rows.append(measured(work, window))
            except (Missing, TooSlow) as problem:
                print(f"left out: {work.name}, windows of {window}: {problem}", file=sys.stderr)
                break
    headings = ["stream", "window", "RTEC→-naive", "", "RTEC→", "", "holdsfor", ""]
    print_table(headings, map(cells, rows))
    write_results("naive_run", rows)


if __name__ == "__main__":
    main()
