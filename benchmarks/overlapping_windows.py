"""Overlapping windows over vessels: 2 to 16 hours, every 2 hours, with and without delayed effects.

`python benchmarks/overlapping_windows.py [--long]` prints a table and writes
`build/benchmarks/overlapping_windows.json`, in the manner of Figure 7 of the delayed-effects paper (Mantenoglou and
Artikis, JAIR 2025). Streams are generated, with as many records in 16 hours as the paper's streams of Brest and, with
`--long`, of all European seas. Rules are those of `apps/maritime`: all of them, and those without delayed effects.
Seconds are processor seconds of one query time, the average over the query times with a full window. The published
seconds are those of RTEC on other data, rules and another machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from showing import duration, print_table, size_options
from streams import Stream, generated, rules_of
from timing import write_results

HOUR = 3_600
STEP = 2 * HOUR
WINDOWS = (2, 4, 8, 16)


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
    every = generated("maritime", sea.vessels, sea.hours * HOUR)
    plain = generated("maritime", sea.vessels, sea.hours * HOUR, without_delays())
    rows = []
    for hours in WINDOWS:
        with_delays, n_intervals = seconds_of_a_query(every, hours)
        rows.append(
            {
                "stream": sea.name,
                "hours": hours,
                "records": every.n_records * hours // sea.hours,
                "intervals": n_intervals,
                "without_delays": seconds_of_a_query(plain, hours)[0],
                "with_delays": with_delays,
                "published": sea.published.get(hours),
            }
        )
    return rows


def cells(row: dict[str, Any]) -> list[str]:
    counts = [f"{row['hours']} h", f"{row['records']:,}", f"{row['intervals']:,}"]
    seconds = [duration(row[key]) for key in ("without_delays", "with_delays")]
    return [row["stream"], *counts, *seconds, row["published"] or ""]


def main() -> None:
    options = size_options("How long does a query time take in overlapping windows?")
    rows = [row for sea in SEAS if options.long or not sea.is_long for row in measured(sea)]
    headings = ["stream", "window", "records in it", "intervals", "without delays", "with delays", "RTEC, as published"]
    print_table(headings, map(cells, rows))
    write_results("overlapping_windows", rows)


if __name__ == "__main__":
    main()
