"""Cost per record as streams grow: more records, or more entities with as many records; city transport, one core.

`python benchmarks/curves.py [--long]` prints two tables, writes `build/benchmarks/curves.json` and draws `curves.png`.
Windows are a tenth of the stream, and the answer is reported once. Both curves should be flat; the line under a table
shows how far they are from it. `--long` goes up to ten million records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from showing import Curve, Panel, draw_charts, duration, print_table, size_options, spread
from streams import generated
from timing import write_results

RECORDS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
RECORDS_LONG = (*RECORDS, 3_000_000, 10_000_000)
VEHICLES = 1_000

ENTITIES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
RECORDS_OF_ENTITIES, RECORDS_OF_ENTITIES_LONG = 200_000, 1_000_000

TIME_POINTS_PER_RECORD = 100
"""The number of time-points between two records of a vehicle."""


def measured(n_records: int, n_entities: int) -> dict[str, Any]:
    """Seconds to load and to recognise about `n_records` records of `n_entities` vehicles."""
    time = max(10, n_records * TIME_POINTS_PER_RECORD // n_entities)
    stream = generated("ctm", n_entities, time)
    repetitions = max(1, min(5, 1_000_000 // n_records))
    return {
        "records": stream.n_records,
        "entities": n_entities,
        "load_seconds": stream.load_seconds(repetitions),
        "recognise_seconds": stream.settle_seconds(-(-time // 10), repetitions),
    }


def costs(rows: Sequence[dict[str, Any]], phase: str) -> list[float]:
    """Microseconds per record."""
    return [1e6 * row[f"{phase}_seconds"] / row["records"] for row in rows]


def show(rows: Sequence[dict[str, Any]]) -> None:
    headings = ["records", "entities", "load", "records loaded a second", "recognise", "per record"]
    cells = [
        [
            f"{row['records']:,}",
            f"{row['entities']:,}",
            duration(row["load_seconds"]),
            f"{row['records'] / row['load_seconds']:,.0f}",
            duration(row["recognise_seconds"]),
            f"{cost:.2f} µs",
        ]
        for row, cost in zip(rows, costs(rows, "recognise"), strict=True)
    ]
    print_table(headings, cells)
    print(
        f"\nThe most expensive record costs {spread(costs(rows, 'recognise')):.1f} times the cheapest to recognise,"
        f" {spread(costs(rows, 'load')):.1f} times to load.\n"
    )


def panel(title: str, of: str, rows: Sequence[dict[str, Any]]) -> Panel:
    curves = [Curve(phase, [row[of] for row in rows], costs(rows, phase)) for phase in ("recognise", "load")]
    return Panel(title, of, "microseconds per record", curves)


def main() -> None:
    options = size_options("What does a record cost as streams grow?")
    by_records = [measured(n, VEHICLES) for n in (RECORDS_LONG if options.long else RECORDS)]
    show(by_records)
    n_records = RECORDS_OF_ENTITIES_LONG if options.long else RECORDS_OF_ENTITIES
    by_entities = [measured(n_records, n) for n in ENTITIES if n <= n_records]
    show(by_entities)
    write_results(
        "curves", [{"of": "records", **r} for r in by_records] + [{"of": "entities", **r} for r in by_entities]
    )
    panels = [
        panel(f"More records, {VEHICLES:,} vehicles", "records", by_records),
        panel(f"More entities, {n_records:,} records", "entities", by_entities),
    ]
    draw_charts(options.pictures / "curves.png", panels)


if __name__ == "__main__":
    main()
