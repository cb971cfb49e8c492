"""RTEC_inc and holdsfor on identical records of a fleet, a share of them late.

`python benchmarks/rtec_inc.py CHECKOUT [--long] [--late SHARE …]` runs the fleet application of a checkout of
github.com/eftsilio/Incremental_RTEC under SWI-Prolog, and the rules of `apps/fleet` on holdsfor, prints a table and
writes `build/benchmarks/rtec_inc.json`. RTEC_inc was written for YAP; three predicates that SWI-Prolog lacks are
defined before it is loaded. Its records and the types of vehicles are generated: a checkout has no records. The
checkout is copied to a temporary folder and not changed.

Seconds are processor seconds of a query time, those that RTEC_inc logs and those of holdsfor, without reading. Answers
are the intervals of the three fluents that both define alike, at all query times. RTEC_inc has no arrivals: a record
is late if it follows records of later windows in the file, so some late records take effect one query time earlier.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from incremental import SHARES, lateness
from incremental_runs import INCREMENTAL, SCRATCH, SideBySide, Window, batches
from showing import print_table
from streams import ROOT
from timing import write_results

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.generators import Lateness, model_of
from holdsfor.generators.fleet import Fleet
from holdsfor.syntax.printer import show

HOUR = 3600
LONGEST = 3600  # seconds that RTEC_inc may take

SHIMS = """
:- dynamic '$value_of'/2.
set_value(Name, Value) :- retractall('$value_of'(Name, _)), assertz('$value_of'(Name, Value)).
get_value(Name, Value) :- '$value_of'(Name, Value), !.
eraseall(Key) :- forall(recorded(Key, _, Reference), erase(Reference)).
"""

NAMES = {
    "moving": "moving",
    "standing": "notMoving",
    "parked": "stopped",
    "fuel_level": "fuelLevel",
    "near_station": "closeToGas",
    "ice_on_road": "ice",
    "abrupt_acceleration": "acceleration",
    "abrupt_braking": "braking",
    "abrupt_cornering": "cornering",
}
FLUENTS = {
    "overSpeeding": "over_speeding",
    "dangerousDriving": "dangerous_driving",
    "notEconomicDriving": "uneconomic_driving",
}

Answers = dict[int, set[tuple[str, int, int | None]]]


def compiled_fleet(model: Fleet) -> Compiled:
    files = (ROOT / "apps" / "fleet" / f"{name}.prolog" for name in ("rules", "parameters"))
    return compile_text("\n".join([*(file.read_text(encoding="utf-8") for file in files), model.background()]), "fleet")


# -- RTEC_inc ----------------------------------------------------------------------------------------------------------


def write_inputs(model: Fleet, contents: list[bytes], data: Path) -> None:
    """The records in order of arrival, with their occurrence twice, and the vehicles, each its own type."""
    with (data / "dynamic_data" / "fleet.csv").open("w", encoding="utf-8") as file:
        for content in contents:
            for line in content.decode().splitlines():
                name, _, occurrence, *rest = line.split("|")
                file.write("|".join([NAMES[name], occurrence, occurrence, *rest]) + "\n")
    ids = model.vocabulary.args[0]
    tables = {
        "vehiclesType": zip(ids, ids, strict=True),
        "vehiclesSpeed": zip(ids, model.limit.tolist(), strict=True),
        "vehiclesTanks": zip(ids, model.tank.tolist(), strict=True),
    }
    predicates = {"vehiclesType": "vehicleType", "vehiclesSpeed": "vehicleSpeed", "vehiclesTanks": "vehicleTank"}
    for name, rows in tables.items():
        facts = "".join(f"{predicates[name]}({vehicle}, {value}).\n" for vehicle, value in rows)
        (data / "static_data" / f"{name}.prolog").write_text(facts, encoding="utf-8")


def run_rtec_inc(
    checkout: Path, model: Fleet, contents: list[bytes], window: Window, n: int
) -> tuple[Answers, list[float]]:
    """The answers of RTEC_inc, and the processor seconds of each query time after the first."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(checkout, copy)
        data = copy / "examples" / "fleet_management" / "data"
        write_inputs(model, contents, data)
        (Path(folder) / "shims.prolog").write_text(SHIMS, encoding="utf-8")
        last = window.length + n * window.step
        run = f"performFullER(['dynamic_data/fleet.csv'],'{folder}/times','{folder}/answers',0,"
        run += f"{window.length},{window.step},{last})"
        goal = f"consult('{folder}/shims.prolog'), consult('loadFiles.prolog'), nb_setval(prl, swipl), {run}, halt"
        command = ["swipl", "-q", "-g", goal, "-t", "halt(1)"]
        done = subprocess.run(command, cwd=data, capture_output=True, text=True, timeout=LONGEST, check=False)
        if not (Path(folder) / "times").exists() or done.returncode != 0:
            raise SystemExit(f"RTEC_inc did not end well:\n{done.stdout[-500:]}\n{done.stderr[-500:]}")
        times = (Path(folder) / "times").read_text(encoding="utf-8")
        answers = (Path(folder) / "answers").read_text(encoding="utf-8")
    found = re.search(r"^Times: \[([\d,]*)\]", times, re.MULTILINE)
    assert found is not None
    queries = [window.length + i * window.step for i in range(1, n + 1)]
    return dict(zip(queries, read_answers(answers), strict=True)), [int(each) / 1000 for each in found[1].split(",")]


def read_answers(text: str) -> Iterator[set[tuple[str, int, int | None]]]:
    """The intervals of each query time: a list of FVPs, then one of events, each with an empty line at its end."""
    rows: set[tuple[str, int, int | None]] = set()
    n_ends = 0
    for line in text.splitlines():
        found = re.fullmatch(r"\((\w+)\((\w+)\)=true, \[(.*)\]\)\.", line)
        if found is not None and found[1] in FLUENTS:
            fvp = f"{FLUENTS[found[1]]}({found[2]})=true"
            spans = re.findall(r"\((\d+),(\d+|inf)\)", found[3])
            rows |= {(fvp, int(start), None if end == "inf" else int(end)) for start, end in spans}
        n_ends += not line
        if n_ends == 2:
            yield rows
            rows, n_ends = set(), 0


# -- holdsfor ----------------------------------------------------------------------------------------------------------


def run_holdsfor(
    compiled: Compiled, stream: list[tuple[int, bytes]], window: Window
) -> tuple[Answers, dict[str, list[float]]]:
    """The answers of holdsfor, and the processor seconds of each query time after the first."""
    side_by_side = SideBySide(compiled, window)
    seconds: dict[str, list[float]] = {name: [] for name in side_by_side.sessions}
    answers: Answers = {}
    for i, (at, content) in enumerate(stream):
        for name, each in side_by_side.query(at, content).items():
            if i:
                seconds[name].append(each)
        session = side_by_side.sessions[SCRATCH]
        report = session.last_report()
        if i and report is not None:
            report = report.after(session.window_start(at), session.tick, None)
            found = report.intervals(session.symbols)
            answers[at] = {
                (show(fvp), start, end)
                for fvp, spans in found.items()
                for start, end in spans
                if show(fvp).partition("(")[0] in FLUENTS.values()
            }
    return answers, seconds


def measured(checkout: Path, vehicles: int, hours: int, share: float, n: int) -> dict[str, Any]:
    window = Window(hours * HOUR, HOUR)
    model = model_of("fleet", entities=vehicles, seed=1)
    assert isinstance(model, Fleet)
    late: Lateness = lateness(share, 8 * HOUR)
    stream = list(batches(model, window.query_times(n), late))
    theirs, rtec_inc = run_rtec_inc(checkout, model, [content for _, content in stream], window, n)
    ours, seconds = run_holdsfor(compiled_fleet(model), stream, window)
    agreed = sum(len(theirs[at] & ours[at]) for at in theirs)
    every = sum(len(theirs[at] | ours[at]) for at in theirs)
    return {
        "vehicles": vehicles,
        "hours": hours,
        "share": share,
        "records": sum(content.count(b"\n") for _, content in stream),
        "rtec_inc": {"mean": mean(rtec_inc), "deviation": pstdev(rtec_inc)},
        **{name: {"mean": mean(each), "deviation": pstdev(each)} for name, each in seconds.items()},
        "agreed": agreed,
        "answers": every,
    }


def cells(row: dict[str, Any]) -> list[str]:
    ratio = row["rtec_inc"]["mean"] / row[INCREMENTAL]["mean"]
    what = [f"{row['vehicles']:,}", f"{row['hours']} h", f"{row['share']:.0%}", f"{row['records']:,}"]
    return [
        *what,
        *(
            f"{1000 * row[of]['mean']:.1f} ± {1000 * row[of]['deviation']:.1f}"
            for of in ("rtec_inc", SCRATCH, INCREMENTAL)
        ),
        f"{ratio:.1f}",
        f"{row['agreed']:,} of {row['answers']:,}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast are RTEC_inc and holdsfor on late records of a fleet?")
    parser.add_argument("checkout", type=Path, help="a checkout of Incremental_RTEC")
    parser.add_argument("--long", action="store_true", help="more vehicles and longer windows")
    parser.add_argument("--late", type=float, nargs="+", default=SHARES, metavar="SHARE", help="shares of late records")
    options = parser.parse_args()
    if not (options.checkout / "RTEC.prolog").exists():
        parser.error(f"no RTEC.prolog in {options.checkout}: expected a checkout of Incremental_RTEC")
    if shutil.which("swipl") is None:
        parser.error("SWI-Prolog (swipl) not found")
    sizes = [(50, 4), (200, 4)] if not options.long else [(200, 4), (200, 16), (500, 4)]
    rows = [measured(options.checkout, *size, share, 9) for size in sizes for share in options.late]
    headings = ["vehicles", "window", "late", "records", "RTEC_inc (ms)", "scratch (ms)", "incremental (ms)", "ratio"]
    print_table([*headings, "answers that agree"], map(cells, rows))
    write_results("rtec_inc", rows)


if __name__ == "__main__":
    main()
