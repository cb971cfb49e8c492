"""Scaling of feedback loops: the immune response and phage infection, with more entities and over more time.

`python benchmarks/feedback.py [--long]` prints a table, writes `build/benchmarks/feedback.json` and draws
`feedback.png`, in the manner of Figure 5 of the delayed-effects paper. A few events keep the loops running, so most of
the work is derived from them: the cost is per interval of the answer. Windows are ten time-points long, and the settled
result is reported once. `--long` adds ten times as many entities, and ten times as much time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from showing import Curve, Panel, draw_charts, duration, print_table, size_options, spread
from streams import ROOT, generated
from timing import write_results

LOOPS = {"immune response": "immune", "phage infection": "phage"}
WINDOW = 10
ENTITIES, ENTITIES_LONG = (10, 100, 1_000), (10, 100, 1_000, 10_000)
TIMES, TIMES_LONG = (100, 1_000, 10_000), (100, 1_000, 10_000, 100_000)
FEW_ENTITIES, SHORT_TIME = 20, 200


def measured(loop: str, entities: int, time: int) -> dict[str, Any]:
    """Seconds for one loop; half of the entities of a stream are hosts, the other half cells."""
    stream = generated("feedback", 2 * entities, time, [ROOT / "apps" / "feedback" / f"{LOOPS[loop]}.prolog"])
    n_intervals = stream.n_intervals(WINDOW)
    seconds = stream.settle_seconds(WINDOW, max(1, min(3, 30_000 // n_intervals)))
    return {"loop": loop, "entities": entities, "time": time, "intervals": n_intervals, "seconds": seconds}


def costs(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Microseconds per interval."""
    return [1e6 * row["seconds"] / row["intervals"] for row in rows]


def show(rows: Sequence[dict[str, Any]]) -> None:
    headings = ["loop", "entities", "time-points", "intervals", "recognise", "per interval"]
    cells = [
        [
            row["loop"],
            f"{row['entities']:,}",
            f"{row['time']:,}",
            f"{row['intervals']:,}",
            duration(row["seconds"]),
            f"{cost:.1f} µs",
        ]
        for row, cost in zip(rows, costs(rows), strict=True)
    ]
    print_table(headings, cells)
    print(f"\nThe most expensive interval costs {spread(costs(rows)):.1f} times the cheapest.\n")


def panel(title: str, x: str, of: str, rows: Sequence[dict[str, Any]]) -> Panel:
    own = {loop: [row for row in rows if row["loop"] == loop] for loop in LOOPS}
    curves = [Curve(loop, [r[of] for r in found], [r["seconds"] for r in found]) for loop, found in own.items()]
    return Panel(title, x, "seconds", curves)


def main() -> None:
    options = size_options("How do feedback loops scale?")
    sizes, times = (ENTITIES_LONG, TIMES_LONG) if options.long else (ENTITIES, TIMES)
    by_entities = [measured(loop, n, SHORT_TIME) for loop in LOOPS for n in sizes]
    show(by_entities)
    by_time = [measured(loop, FEW_ENTITIES, time) for loop in LOOPS for time in times]
    show(by_time)
    write_results("feedback", [{"of": "entities", **r} for r in by_entities] + [{"of": "time", **r} for r in by_time])
    panels = [
        panel(f"More hosts or cells, {SHORT_TIME} time-points", "hosts or cells", "entities", by_entities),
        panel(f"More time, {FEW_ENTITIES} hosts or cells", "time-points", "time", by_time),
    ]
    draw_charts(options.pictures / "feedback.png", panels)


if __name__ == "__main__":
    main()
