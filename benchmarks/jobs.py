"""Several processes against one: settled results of on and off events.

`python benchmarks/jobs.py` prints a table for 2 million records and writes `build/benchmarks/jobs.json`; `--long` adds
10 million. *Call* is `hf.recognise` in a program that has imported holdsfor, up to the result as columns. *Parquet* and
*CSV* are the command from the file of records to a file of results, with the start of the program.

Runs with one process and with several alternate. *Busiest* is the processor time of the process that worked most: on an
idle machine with a core for each process, a run takes at least as long. *Wall* is the time that passed, the best of all
runs; it is the figure to quote if nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from memory import RULES, generate
from timing import write_results

WINDOW = 10_000
CHILDREN = """
others = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([time.process_time() - began[0], others.ru_utime + others.ru_stime, time.perf_counter() - began[1]]))
"""
COMMAND = f"""
import json, resource, sys, time
began = 0.0, time.perf_counter()
from holdsfor.__main__ import main
code = main()
{CHILDREN}
sys.exit(code)
"""
CALL = f"""
import json, resource, sys, time
import holdsfor as hf
rules = hf.load(sys.argv[1])
hf.recognise(rules, [hf.Event("on", "a", at=1)], jobs=1)
began = time.process_time(), time.perf_counter()
hf.recognise(rules, sys.argv[2], jobs=int(sys.argv[3]), window=int(sys.argv[4]) or None)
{CHILDREN}
"""
KINDS = ("call", "parquet", "csv")


@dataclass(frozen=True)
class Cost:
    """Processor seconds of the first process and of all others together, and the seconds that passed."""

    jobs: int
    first: float
    others: float
    wall: float

    @property
    def busiest(self) -> float:
        """The processor time of the busiest process, if the others share their work evenly."""
        return max(self.first, self.others / max(1, self.jobs - 1))


def run(folder: Path, kind: str, jobs: int, *, windows: bool) -> Cost:
    """One run in new processes."""
    rules, events = str(folder / "rules.prolog"), str(folder / "events.txt")
    if kind == "call":
        command = [CALL, rules, events, str(jobs), str(WINDOW if windows else 0)]
    else:
        options = ["--window", str(WINDOW), "--final"] if windows else []
        command = [COMMAND, "run", rules, "--input", events, "--jobs", str(jobs), *options]
        command += ["-o", str(folder / f"answer.{kind}")]
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", *command], check=True, capture_output=True, text=True)
    passed = time.perf_counter() - began
    first, others, wall = json.loads(done.stdout.splitlines()[-1])
    return Cost(jobs, first, others, wall if kind == "call" else passed)


def best(costs: list[Cost], jobs: int) -> Cost:
    """The best of several runs, each figure by itself."""
    own = [cost for cost in costs if cost.jobs == jobs]
    busiest = min(own, key=lambda cost: cost.busiest)
    return Cost(jobs, busiest.first, busiest.others, min(cost.wall for cost in own))


def measure(folder: Path, kind: str, jobs: int, repetitions: int, *, windows: bool) -> list[Cost]:
    """The costs of one process and of several."""
    costs = [run(folder, kind, each, windows=windows) for _ in range(repetitions) for each in (1, jobs)]
    return [best(costs, 1), best(costs, jobs)]


def main() -> None:
    parser = argparse.ArgumentParser(description="How much faster are several processes?")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--repetitions", type=int, default=3, help="runs of each kind")
    parser.add_argument("--long", action="store_true", help="also 10 million records")
    options = parser.parse_args()
    print("| records | windows | run | one process | busiest of several | times | all of them | wall | times |")
    print("|---|---|---|---|---|---|---|---|---|")
    results = []
    for n in (2_000_000, 10_000_000) if options.long else (2_000_000,):
        with tempfile.TemporaryDirectory() as named:
            folder = Path(named)
            (folder / "rules.prolog").write_text(RULES, encoding="utf-8")
            generate(folder / "events.txt", n, "in order")
            for windows, run_kind in ((windows, kind) for windows in (False, True) for kind in KINDS):
                one, several = measure(folder, run_kind, options.jobs, options.repetitions, windows=windows)
                what = {"records": n, "windows": windows, "run": run_kind}
                results.append({**what, "one": asdict(one), "several": asdict(several)})
                shown = [f"{one.busiest:.2f} s", f"{several.busiest:.2f} s", f"{one.busiest / several.busiest:.2f}"]
                shown += [f"{several.first + several.others:.2f} s", f"{one.wall:.2f} / {several.wall:.2f} s"]
                kind = "yes" if windows else "no"
                print(
                    f"| {n:,} | {kind} | {run_kind} | {' | '.join(shown)} | {one.wall / several.wall:.2f} |", flush=True
                )
    write_results("jobs", results)


if __name__ == "__main__":
    main()
