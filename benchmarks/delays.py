"""Speed of delayed effects and cycles: voting, NetBill, and one light that a button turns on and off.

`python benchmarks/delays.py [--long]` prints three tables, writes `build/benchmarks/delays.json` and draws
`delays.png`: the time of each work, the time of every window of the largest vote, and the cost of a state change of
the light with more of them in one window. `--long` adds four thousand agents and a million presses of the button.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from showing import Curve, Panel, draw_charts, duration, print_table, size_options, spread
from streams import DATA, Stream, generated, real
from timing import write_results

from holdsfor.analysis.pipeline import compile_files
from holdsfor.errors import Diagnostics

WINDOW = 10
VOTES = DATA / "voting" / "events.csv"
LIGHT = Path(__file__).with_name("light.prolog")
PRESSES, PRESSES_LONG = (1_000, 10_000, 100_000), (1_000, 10_000, 100_000, 1_000_000)


def votes() -> Stream:
    """The votes that RTEC ships, if the file exists; else a generated stream of that size."""
    return real("voting", VOTES) if VOTES.exists() else generated("voting", 1_000, 100)


def presses(n: int) -> Stream:
    """One light whose button is pressed at every time-point."""
    lines = "".join(f"press|{time}|{time}|lamp\n" for time in range(n))
    return Stream(compile_files([LIGHT], Diagnostics()), lines.encode())


@dataclass(frozen=True)
class Work:
    """A stream in windows of some time-points, or in one; and the target in seconds."""

    name: str
    stream: Callable[[], Stream]
    wanted_seconds: float
    window: int | None = WINDOW
    is_long: bool = False


MANY_VOTES = Work("voting, 10,000 agents", lambda: generated("voting", 10_000, 100), 2)
WORKS = (
    Work("voting, " + ("as shipped with RTEC" if VOTES.exists() else "1,000 agents"), votes, 0.06),
    MANY_VOTES,
    Work("NetBill, 400 agents", lambda: generated("netbill", 400, 150), 1.2),
    Work("NetBill, 1,000 agents", lambda: generated("netbill", 1_000, 150), 4),
    Work("NetBill, 4,000 agents", lambda: generated("netbill", 4_000, 168), 20, is_long=True),
    Work("one light, one window", lambda: presses(100_000), 0.3, window=None),
    Work("one light, one window", lambda: presses(1_000_000), 3, window=None, is_long=True),
)


def measured(work: Work) -> dict[str, Any]:
    stream = work.stream()
    repetitions = max(1, min(3, 300_000 // stream.n_records))
    return {
        "work": work.name,
        "records": stream.n_records,
        "intervals": stream.n_intervals(work.window),
        "load_seconds": stream.load_seconds(repetitions),
        "settled_once_seconds": stream.settle_seconds(work.window, repetitions),
        "every_window_seconds": stream.report_seconds(work.window, repetitions),
        "wanted_seconds": work.wanted_seconds,
    }


def show_works(rows: list[dict[str, Any]]) -> None:
    keys = ("load_seconds", "settled_once_seconds", "every_window_seconds", "wanted_seconds")
    headings = ["work", "records", "intervals", "load", "settled once", "every window reported", "wanted"]
    cells = [["–" if row[key] is None else duration(row[key]) for key in keys] for row in rows]
    counts = [[row["work"], f"{row['records']:,}", f"{row['intervals']:,}"] for row in rows]
    print_table(headings, [[*counted, *shown] for counted, shown in zip(counts, cells, strict=True)])


def windows_of(work: Work) -> list[dict[str, Any]]:
    """Seconds of every window, the better of two runs."""
    stream = work.stream()
    runs = [stream.run(work.window) for _ in range(2)]
    best = map(min, *(run.seconds_of_each() for run in runs))
    return [{"query_time": at, "seconds": seconds} for at, seconds in zip(runs[0].queries, best, strict=True)]


def show_windows(name: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{name}, window by window:\n")
    print_table(
        ["query time", *(str(row["query_time"]) for row in rows)], [["", *(duration(r["seconds"]) for r in rows)]]
    )
    times = [row["seconds"] for row in rows]
    print(f"\nThe slowest takes {max(times) / median(times):.1f} times the median.")


def light_row(n: int) -> dict[str, Any]:
    stream = presses(n)
    return {"changes": n, "seconds": stream.settle_seconds(None, max(1, min(3, 100_000 // n)))}


def cost(row: dict[str, Any]) -> float:
    """Microseconds per state change."""
    return 1e6 * float(row["seconds"]) / int(row["changes"])


def show_light(rows: list[dict[str, Any]]) -> None:
    print("\nOne light, one window:\n")
    cells = [[f"{row['changes']:,}", duration(row["seconds"]), f"{cost(row):.2f} µs"] for row in rows]
    print_table(["state changes", "recognise", "per change"], cells)
    print(f"\nThe most expensive change costs {spread([cost(row) for row in rows]):.1f} times the cheapest.\n")


def panels(windows: list[dict[str, Any]], light: list[dict[str, Any]]) -> list[Panel]:
    return [
        Panel(
            "Every window of a vote of 10,000 agents",
            "query time",
            "seconds",
            [Curve("window", [row["query_time"] for row in windows], [row["seconds"] for row in windows])],
            "linear",
            "linear",
        ),
        Panel(
            "State changes of one light in one window",
            "state changes",
            "microseconds per change",
            [Curve("light", [row["changes"] for row in light], [cost(row) for row in light])],
        ),
    ]


def main() -> None:
    options = size_options("How fast are delayed effects and cycles?")
    works = [measured(work) for work in WORKS if options.long or not work.is_long]
    show_works(works)
    windows = windows_of(MANY_VOTES)
    show_windows(MANY_VOTES.name, windows)
    light = [light_row(n) for n in (PRESSES_LONG if options.long else PRESSES)]
    show_light(light)
    parts = {"works": works, "windows": windows, "light": light}
    write_results("delays", [{"table": name, **row} for name, rows in parts.items() for row in rows])
    draw_charts(options.pictures / "delays.png", panels(windows, light))


if __name__ == "__main__":
    main()
