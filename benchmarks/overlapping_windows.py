"""Overlapping windows over vessels: 2 to 16 hours, every 2 hours, with and without delayed effects.

`python benchmarks/overlapping_windows.py [--long]` prints a table and writes
`build/benchmarks/overlapping_windows.json`, in the manner of Figure 7 of the delayed-effects paper (Mantenoglou and
Artikis, JAIR 2025). Streams are generated, with as many records in 16 hours as the paper's streams of Brest and, with
`--long`, of all European seas. Rules are those of `apps/maritime`: all of them, and those without delayed effects.
Seconds are processor seconds of one query time, the average over the query times with a full window. *Delays unused*
has the rules without delayed effects, beside a rule and a delayed effect of a fluent that no record starts: the ratio
to the time without them is the cost of the extension where there are no delays (Figure 7, left). The published seconds
are those of RTEC on other data, rules and another machine.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from showing import duration, print_table, size_options
from streams import Stream, generated, rules_of
from timing import write_results

HOUR = 3_600
STEP = 2 * HOUR
REPETITIONS = 2
WINDOWS = (2, 4, 8, 16)
UNUSED = """
initiatedAt(inspected(Vessel)=true, T) :- happensAt(inspection(Vessel), T).
fi(inspected(Vessel)=true, inspected(Vessel)=over, 3600).
grounding(inspected(Vessel)=true) :- vessel(Vessel).
grounding(inspected(Vessel)=over) :- vessel(Vessel).
"""


@dataclass(frozen=True)
class Sea:
    """A generated stream, its length in hours, and the published seconds of a query time by hours of the window."""

    name: str
    vessels: int
    hours: int
    published: dict[int, str]
    is_long: bool = False


SEAS = (
    Sea("Brest", 430, 48, {2: "less than 0.4 s", 16: "about 0.6 s"}),
    Sea("Europe", 12_000, 24, {2: "less than 30 s", 16: "less than 180 s"}, is_long=True),
)


def without_delays() -> list[Path]:
    return [file for file in rules_of("maritime") if file.stem != "manoeuvres"]


def seconds_of_a_query(stream: Stream, hours: int) -> tuple[float, int]:
    """The average seconds of a query time with a full window, and the intervals of the last report."""
    run = stream.run(hours * HOUR, STEP)
    n_partial = hours * HOUR // STEP - 1
    seconds = run.seconds_of_each()[n_partial:]
    report = run.session.last_report()
    assert report is not None
    return mean(seconds), report.n_intervals


def measured(sea: Sea) -> list[dict[str, Any]]:
    """The seconds by window; the cost of the extension is measured on the smaller sea, as in the paper."""
    every = generated("maritime", sea.vessels, sea.hours * HOUR)
    rows = []
    for hours in WINDOWS:
        with_delays, n_intervals = seconds_of_a_query(every, hours)
        rows.append(
            {
                "stream": sea.name,
                "hours": hours,
                "records": every.n_records * hours // sea.hours,
                "intervals": n_intervals,
                "with_delays": with_delays,
                "published": sea.published.get(hours),
            }
        )
    return rows if sea.is_long else [{**row, **more} for row, more in zip(rows, without(sea), strict=True)]


def without(sea: Sea) -> list[dict[str, float]]:
    """The seconds by window of the rules without delays, alone and beside a delayed effect that nothing starts."""
    plain = generated("maritime", sea.vessels, sea.hours * HOUR, without_delays())
    with tempfile.TemporaryDirectory() as folder:
        more = Path(folder, "unused.prolog")
        more.write_text(UNUSED, encoding="utf-8")
        unused = generated("maritime", sea.vessels, sea.hours * HOUR, [*without_delays(), more])
    rows = []
    for hours in WINDOWS:
        pairs = [[seconds_of_a_query(stream, hours)[0] for stream in (plain, unused)] for _ in range(REPETITIONS)]
        alone, beside = map(min, zip(*pairs, strict=True))
        rows.append({"without_delays": alone, "delays_unused": beside})
    return rows


def cells(row: dict[str, Any]) -> list[str]:
    counts = [f"{row['hours']} h", f"{row['records']:,}", f"{row['intervals']:,}"]
    keys = ("without_delays", "delays_unused", "with_delays")
    seconds = [duration(row[key]) if key in row else "" for key in keys]
    ratio = f"{row['delays_unused'] / row['without_delays']:.2f}" if "without_delays" in row else ""
    return [row["stream"], *counts, *seconds, ratio, row["published"] or ""]


def main() -> None:
    options = size_options("How long does a query time take in overlapping windows?")
    rows = [row for sea in SEAS if options.long or not sea.is_long for row in measured(sea)]
    times = ["without delays", "delays unused", "with delays", "unused / without", "RTEC, as published"]
    print_table(["stream", "window", "records in it", "intervals", *times], map(cells, rows))
    write_results("overlapping_windows", rows)


if __name__ == "__main__":
    main()
