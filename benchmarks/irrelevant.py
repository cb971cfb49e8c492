"""Irrelevant records beside relevant ones: records of names that no rule mentions.

`python benchmarks/irrelevant.py` prints a table and writes `build/benchmarks/irrelevant.json`: seconds to read and to
recognise city transport with up to ten times as many irrelevant records, spread evenly among the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from showing import duration, print_table
from streams import Stream, generated
from timing import write_results

VEHICLES, DURATION, WINDOW = 100, 50_000, 10_000
SHARES = (0, 1, 3, 10)
REPETITIONS = 3


def with_irrelevant(stream: Stream, n: int) -> Stream:
    """The stream with `n` irrelevant records after each record, at its time."""
    lines: list[bytes] = []
    for line in stream.content.splitlines():
        time = line.split(b"|")[1]
        lines += [line, *(b"%b|%b|%b|%d" % (b"noise", time, time, i) for i in range(n))]
    return replace(stream, content=b"\n".join(lines) + b"\n")


def measured(stream: Stream, n: int) -> dict[str, Any]:
    mixed = with_irrelevant(stream, n)
    return {
        "relevant": stream.n_records,
        "irrelevant": mixed.n_records - stream.n_records,
        "load_seconds": mixed.load_seconds(REPETITIONS),
        "settled_once_seconds": mixed.settle_seconds(WINDOW, REPETITIONS),
        "every_window_seconds": mixed.report_seconds(WINDOW, REPETITIONS),
    }


def main() -> None:
    stream = generated("ctm", VEHICLES, DURATION)
    rows = [measured(stream, n) for n in SHARES]
    keys = ("load_seconds", "settled_once_seconds", "every_window_seconds")
    shown = [[f"{row['relevant']:,}", f"{row['irrelevant']:,}", *(duration(row[key]) for key in keys)] for row in rows]
    print_table(["relevant records", "irrelevant", "load", "settled once", "every window reported"], shown)
    write_results("irrelevant", rows)


if __name__ == "__main__":
    main()
