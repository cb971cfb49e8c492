"""Late, revised and retracted records: incremental evaluation beside evaluation from scratch.

`python benchmarks/incremental.py [PART …] [--quick] [--records N] [--ratios N …] [--late SHARE …] [--per-entity N …]
[--incremental {auto,on}]` prints a table for each part and writes `build/benchmarks/incremental.json`:

    late       windows of 1 to 64 steps, 5 to 80 % late records, 20 to 2,000 records per entity and window
    apps       other applications: city transport with corrections, NetBill, Allen relations, a fleet
    kinds      the gain of simple and statically determined fluents, and of each interval operation
    on-time    no late records: windows of up to 1,000 steps, with the changes of each query time
    bursts     many late records of one entity, one late record of each of many entities
    latency    one record of one entity of 10,000 at each query time

Figures are processor seconds of a query time, in one process, on one core. Scratch and incremental are measured at the
same query times of the same stream, in alternating order; the gain is the median of nine such pairs. Delays follow
Gamma(2, θ), as in the papers on RTEC_inc: with their mean at half of the largest window (most late records are then
dropped by short windows), or at half of each window. *Auto*, the default, evaluates a query time whole where that is
cheaper; *on* evaluates every query time incrementally. The seconds of a kind of rule or operation are the least of
three runs.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from incremental_runs import INCREMENTAL, SCRATCH, Pairs, SideBySide, Window, batches
from showing import Curve, Panel, draw_charts, print_table
from streams import ROOT, rules_of
from timing import RESULTS, write_results

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.generators import NO_CORRECTIONS, ON_TIME, Corrections, Lateness, Model, model_of
from holdsfor.runtime.session import Incremental

RATIOS = (1, 2, 4, 8, 16, 64)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.8)
PER_ENTITY = (20, 200, 2000)
LONG_RATIOS = (1, 10, 100, 1000)
N_PAIRS = 9
N_PROFILES = 3
N_BURSTS = 3

Row = dict[str, Any]


@dataclass(frozen=True)
class Size:
    """The records of a window, and the values that the parts go through."""

    records: int = 1_000_000
    ratios: Sequence[int] = RATIOS
    shares: Sequence[float] = SHARES
    per_entity: Sequence[int] = PER_ENTITY
    long_ratios: Sequence[int] = LONG_RATIOS
    n_live: int = 500
    incremental: Incremental = "auto"


QUICK = Size(10_000, (1, 4, 16, 64), (0.05, 0.2), (20, 200), (1, 10, 100), 60)


@dataclass(frozen=True)
class App:
    """An application: its rules, and the time-points per record of an entity."""

    name: str
    rules: Sequence[Path]
    distance: float
    model: str
    corrections: float = 0.0

    def compiled(self, model: Model) -> Compiled:
        background = model.background()
        own = ROOT / "apps" / self.model / "background.prolog"
        texts = [path.read_text(encoding="utf-8") for path in self.rules]
        texts.append(own.read_text(encoding="utf-8") if background is None else background)
        return compile_text("\n".join(texts), self.name)


def _maritime_with_relations() -> list[Path]:
    folder = ROOT / "apps" / "maritime"
    return [*(path for path in rules_of("maritime") if path.stem != "manoeuvres"), folder / "allen" / "patterns.prolog"]


MARITIME = App("maritime", rules_of("maritime"), 480, "maritime")
OTHERS = (
    App("city transport", rules_of("ctm"), 100, "ctm", corrections=0.05),
    App("NetBill", rules_of("netbill"), 2 / 3, "netbill"),
    App("Allen relations", _maritime_with_relations(), 480, "maritime"),
    App("fleet", rules_of("fleet"), 294, "fleet", corrections=0.05),
)


def window_of(app: App, per_entity: int, ratio: int) -> Window:
    """A window with about that many records of each entity."""
    step = max(1, round(app.distance * per_entity / ratio))
    return Window(step * ratio, step)


def measured(app: App, size: Size, window: Window, late: Lateness, *, has_changes: bool = False) -> Pairs:
    """The pairs of query times with full windows."""
    per_entity = window.length / app.distance
    model = model_of(app.model, entities=max(2, round(size.records / per_entity)), seed=1)
    side_by_side = SideBySide(
        app.compiled(model), window, model.tick, incremental=size.incremental, has_changes=has_changes
    )
    corrections = Corrections(app.corrections, late) if app.corrections and late.share else NO_CORRECTIONS
    return side_by_side.measure(batches(model, window.query_times(N_PAIRS), late, corrections))


def lateness(share: float, mean: float) -> Lateness:
    """Gamma(2, θ) with the given mean."""
    return Lateness(share, "gamma", (2.0, mean / 2))


# -- parts -------------------------------------------------------------------------------------------------------------


def late_part(size: Size) -> Iterator[Row]:
    for per_entity in size.per_entity:
        yield from _grid(MARITIME, size, per_entity, ("largest", "each"))


def apps_part(size: Size) -> Iterator[Row]:
    for app in OTHERS:
        yield from _grid(app, size, size.per_entity[len(size.per_entity) // 2], ("each",))


def _grid(app: App, size: Size, per_entity: int, means: Sequence[str]) -> Iterator[Row]:
    for of_mean in means:
        for share in size.shares:
            for ratio in size.ratios:
                window = window_of(app, per_entity, ratio)
                largest = window.step * max(RATIOS)
                mean = (largest if of_mean == "largest" else window.length) / 2
                pairs = measured(app, size, window, lateness(share, mean))
                what = {"app": app.name, "per_entity": per_entity, "mean": of_mean, "share": share, "ratio": ratio}
                yield {**what, **pairs.row()}


def kinds_part(size: Size) -> Iterator[Row]:
    """Seconds by kind of rule and of interval operation."""
    per_entity = size.per_entity[len(size.per_entity) // 2]
    for share in size.shares:
        for ratio in size.ratios:
            window = window_of(MARITIME, per_entity, ratio)
            model = model_of(MARITIME.model, entities=max(2, size.records // per_entity), seed=1)
            late = lateness(share, window.length / 2)
            runs = []
            for _ in range(N_PROFILES):
                side_by_side = SideBySide(MARITIME.compiled(model), window, incremental=size.incremental)
                runs.append(side_by_side.profiled(batches(model, window.query_times(N_PAIRS), late)))
            for kind in runs[0][SCRATCH]:
                scratch, incremental = (min(run[name][kind] for run in runs) for name in (SCRATCH, INCREMENTAL))
                what = {"share": share, "ratio": ratio, "kind": kind}
                yield {**what, SCRATCH: scratch, INCREMENTAL: incremental, "gain": scratch / max(incremental, 1e-9)}


def on_time_part(size: Size) -> Iterator[Row]:
    """The step stays the same, and the window grows: the cost of a query time should not grow with it."""
    longest = max(size.long_ratios)
    per_entity = size.per_entity[-1]
    step = max(1, round(MARITIME.distance * per_entity / longest))
    for ratio in size.long_ratios:
        window = Window(step * ratio, step)
        own = replace(size, records=max(1, size.records * ratio // longest))
        pairs = measured(MARITIME, own, window, ON_TIME, has_changes=True)
        yield {
            "app": "maritime",
            "per_entity": per_entity * ratio / longest,
            "share": 0.0,
            "ratio": ratio,
            **pairs.row(),
        }


def bursts_part(size: Size) -> Iterator[Row]:
    """A query time at which as many late records arrive as a window has."""
    for name, per_entity, is_of_one in (("one entity", 200, True), ("each entity", 2, False)):
        window = window_of(MARITIME, per_entity, 2 if per_entity < 16 else 16)
        n_entities = max(2, size.records // per_entity if is_of_one else size.records)
        model = model_of("maritime", entities=n_entities, seed=1)
        compiled = MARITIME.compiled(model)
        (first, content), (at, more), *_ = batches(model, window.query_times(2))
        late = burst(model, size.records, window, at, is_of_one=is_of_one)
        found = Pairs({})
        for _ in range(N_BURSTS):
            side_by_side = SideBySide(compiled, window, has_changes=True)
            side_by_side.query(first, content)
            for each, seconds in side_by_side.query(at, more + late).items():
                found.seconds.setdefault(each, []).append(seconds)
            found.n_records.append(side_by_side.sessions[SCRATCH].n_input)
            found.n_late = side_by_side.sessions[SCRATCH].records.counts[0]
            side_by_side.check()
        yield {"burst": name, **found.row()}


def burst(model: Model, n: int, window: Window, at: int, *, is_of_one: bool) -> bytes:
    """Late velocities of one vessel, or one of each vessel."""
    chance = random.Random(1)
    ids, (speeds, courses) = model.vocabulary.args[0], model.vocabulary.args[1:3]
    first, last = at - window.length + 1, at - window.step
    lines = []
    for i in range(n):
        vessel = ids[0] if is_of_one else ids[i % len(ids)]
        time = chance.randint(first, last)
        lines.append(f"velocity|{at}|{time}|{vessel}|{speeds[chance.randint(0, 200)]}|{courses[i % 3600]}|511.0\n")
    return "".join(lines).encode()


def latency_part(size: Size) -> Iterator[Row]:
    """The work from a record to the changes that it causes, for one record at each query time."""
    n_entities = 10_000
    window = Window(round(MARITIME.distance * 20), 1)
    model = model_of("maritime", entities=n_entities, seed=1)
    side_by_side = SideBySide(MARITIME.compiled(model), window, has_changes=True)
    ((first, content),) = batches(model, [window.length])
    side_by_side.query(first, content)
    chance, ids = random.Random(1), model.vocabulary.args[0]
    seconds: dict[str, list[float]] = {}
    for i in range(size.n_live):
        at = first + 1 + i
        line = f"velocity|{at}|{at}|{chance.choice(ids)}|{chance.randint(0, 250) / 10}|90.0|90.0\n"
        for name, each in side_by_side.query(at, line.encode()).items():
            seconds.setdefault(name, []).append(each)
    side_by_side.check()
    for name, found in seconds.items():
        cuts = quantiles(found, n=100)
        yield {"evaluation": name, "entities": n_entities, "p50": median(found), "p99": cuts[98], "queries": len(found)}


# -- output ------------------------------------------------------------------------------------------------------------


def shown_seconds(found: dict[str, float]) -> str:
    return f"{1000 * found['mean']:.1f} ± {1000 * found['deviation']:.1f}"


def _pair_cells(row: Row) -> list[str]:
    counts = [f"{row['records']:,}", f"{row['late']:,}", f"{row['dropped']:,}"]
    return [*counts, shown_seconds(row[SCRATCH]), shown_seconds(row[INCREMENTAL]), f"{row['gain']:.2f}"]


_OF_PAIRS = ["records", "late", "dropped", "scratch (ms)", "incremental (ms)", "gain"]


def print_grid(rows: Sequence[Row]) -> None:
    headings = ["application", "records per entity", "mean delay: half of", "late", "ω/step", *_OF_PAIRS]
    what = (
        [
            r["app"],
            f"{r['per_entity']:,}",
            f"the {r['mean']} window" if r["mean"] == "largest" else "each window",
            f"{r['share']:.0%}",
            str(r["ratio"]),
        ]
        for r in rows
    )
    print_table(headings, ([*cells, *_pair_cells(row)] for cells, row in zip(what, rows, strict=True)))


def print_on_time(rows: Sequence[Row]) -> None:
    print_table(["ω/step", *_OF_PAIRS], ([str(row["ratio"]), *_pair_cells(row)] for row in rows))


def print_bursts(rows: Sequence[Row]) -> None:
    print_table(["late records of", *_OF_PAIRS], ([row["burst"], *_pair_cells(row)] for row in rows))


def print_kinds(rows: Sequence[Row]) -> None:
    def cells_of(row: Row) -> list[str]:
        shown = [f"{1000 * row[name]:.1f}" for name in (SCRATCH, INCREMENTAL)]
        return [f"{row['share']:.0%}", str(row["ratio"]), row["kind"], *shown, f"{row['gain']:.2f}"]

    cells = map(cells_of, rows)
    print_table(["late", "ω/step", "kind", "scratch (ms)", "incremental (ms)", "gain"], cells)


def print_latency(rows: Sequence[Row]) -> None:
    cells = (
        [r["evaluation"], f"{r['entities']:,}", f"{1000 * r['p50']:.2f}", f"{1000 * r['p99']:.2f}", str(r["queries"])]
        for r in rows
    )
    print_table(["evaluation", "entities", "p50 (ms)", "p99 (ms)", "query times"], cells)


PARTS: dict[str, tuple[Callable[[Size], Iterator[Row]], Callable[[Sequence[Row]], None]]] = {
    "late": (late_part, print_grid),
    "apps": (apps_part, print_grid),
    "kinds": (kinds_part, print_kinds),
    "on-time": (on_time_part, print_on_time),
    "bursts": (bursts_part, print_bursts),
    "latency": (latency_part, print_latency),
}


def draw(found: dict[str, list[Row]], folder: Path) -> None:
    """Milliseconds of a query time without late records, and the gain by the share of late ones and the window."""
    panels = []
    if "on-time" in found:
        rows = found["on-time"]
        curves = [
            Curve(name, [row["ratio"] for row in rows], [1000 * row[name]["mean"] for row in rows])
            for name in (SCRATCH, INCREMENTAL)
        ]
        panels.append(
            Panel("no late records, a longer window", "window in steps", "ms per query time", curves, y_scale="linear")
        )
    late = [row for row in found.get("late", ()) if row["mean"] == "each"]
    for per_entity in dict.fromkeys(row["per_entity"] for row in late):
        own = [row for row in late if row["per_entity"] == per_entity]
        title = f"{per_entity:,} records of an entity in a window"
        panels.append(_gains(title, own, "ratio", "windows of {} steps"))
    draw_charts(folder / "incremental.png", panels)


def draw_kinds(rows: Sequence[Row], folder: Path) -> None:
    """The gain of each kind of rule and operation by the share of late records, one panel for each window."""
    panels = [
        _gains(f"windows of {ratio} steps", own, "kind", "{}")
        for ratio in dict.fromkeys(row["ratio"] for row in rows)
        if (own := [row for row in rows if row["ratio"] == ratio])
    ]
    draw_charts(folder / "incremental_kinds.png", panels)


def _gains(title: str, rows: Sequence[Row], of: str, label: str) -> Panel:
    """A curve for each value of a column."""
    curves = [
        Curve(label.format(each), [100 * row["share"] for row in own], [row["gain"] for row in own])
        for each in dict.fromkeys(row[of] for row in rows)
        if (own := [row for row in rows if row[of] == each])
    ]
    return Panel(title, "late records (%)", "times faster", curves, y_scale="linear")


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What do late, revised and retracted records cost?")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"parts of the benchmark: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small windows and few values")
    parser.add_argument("--records", type=int, metavar="N", help="records of a window")
    parser.add_argument("--ratios", type=int, nargs="+", metavar="N", help="steps of a window")
    parser.add_argument("--late", type=float, nargs="+", metavar="SHARE", help="shares of late records, such as 0.05")
    parser.add_argument("--per-entity", type=int, nargs="+", metavar="N", help="records of an entity in a window")
    parser.add_argument("--incremental", choices=["auto", "on"], default="auto", help="when to evaluate incrementally")
    parser.add_argument("--pictures", type=Path, default=RESULTS, metavar="FOLDER", help="the folder of the charts")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part `{unknown[0]}`, there are {', '.join(PARTS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of(arguments)
    size = QUICK if options.quick else Size()
    size = replace(
        size,
        records=options.records or size.records,
        ratios=options.ratios or size.ratios,
        shares=options.late or size.shares,
        per_entity=options.per_entity or size.per_entity,
        incremental=options.incremental,
    )
    found: dict[str, list[Row]] = {}
    options.pictures.mkdir(parents=True, exist_ok=True)
    for name in options.parts or PARTS:
        part, shown = PARTS[name]
        print(f"{name}\n")
        found[name] = list(part(size))
        shown(found[name])
        print(flush=True)
        write_results("incremental", found)
    if "late" in found or "on-time" in found:
        draw(found, options.pictures)
    if "kinds" in found:
        draw_kinds(found["kinds"], options.pictures)


if __name__ == "__main__":
    main()
