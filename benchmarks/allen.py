"""Speed of Allen's relations: two unsorted lists, all thirteen relations and each alone, on one core.

`python benchmarks/allen.py [INTERVALS …]` prints tables, writes `build/benchmarks/allen.json` and draws the curve as
`build/benchmarks/allen.png`. Sizes count the intervals of both lists. Sorting is part of the time.

The last table is the streaming setting: two lists with 125 intervals a day, in touching windows of 1 to 16 days.
*Pairs* finds the pairs of a window in all relations, as RTEC_A does in the paper, where it keeps no interval for a
later window; *rules* is a query time with a rule for each relation, and includes the pairs with intervals of earlier
windows.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from showing import duration, print_table
from streams import Stream
from timing import RESULTS, best_seconds, write_results

from holdsfor import allen
from holdsfor.analysis.pipeline import compile_text
from holdsfor.kernels.keys import Int64

SIZES = (200, 2_000, 20_000, 200_000, 2_000_000, 20_000_000)
PUBLISHED = {200: 0.001, 2_000: 0.014, 20_000: 0.154, 200_000: 1.8}
"""Seconds of RTEC_A for all relations, on another machine: Mantenoglou, Kelesis and Artikis (KR 2023), Table 3(a)."""
STREAMED = {1: (0.001, 0.048), 2: (0.002, 0.164), 4: (0.004, 0.568), 8: (0.008, 1.7), 16: (0.015, 7.8)}
"""Seconds of RTEC_A and of D²IA by days of the window, with 125 intervals a day: Table 3(b) of the same paper."""
DAYS, PER_DAY = 32, 125


def unsorted_list(n: int, seed: int) -> tuple[Int64, Int64]:
    """`n` maximal intervals of 1 to 8 time-points, with gaps of 1 to 8, in random order."""
    random = np.random.default_rng(seed)
    edges = random.integers(1, 9, 2 * n).cumsum()
    order = random.permutation(n)
    return edges[::2][order], edges[1::2][order]


def measured(size: int) -> dict[str, Any]:
    """Seconds for all relations together and for each alone, and the number of pairs."""
    sources, targets = unsorted_list(size // 2, 1), unsorted_list(size // 2, 2)
    repetitions = max(3, min(30, 20_000_000 // size))

    def every_relation() -> None:
        compared = allen.compare(*sources, *targets)
        for relation in allen.RELATIONS:
            compared.pairs(relation)

    each: dict[str, float] = {}
    for relation in allen.RELATIONS if size <= 200_000 else ():
        each[relation] = best_seconds(lambda rel=relation: allen.pairs(*sources, *targets, rel), repetitions)  # type: ignore[misc]
    return {
        "intervals": size,
        "seconds": best_seconds(every_relation, repetitions),
        "pairs": sum(allen.compare(*sources, *targets).counts().values()),
        "published_seconds": PUBLISHED.get(size),
        "each": each,
    }


def streamed(days: int) -> dict[str, Any]:
    """The average seconds of a window of some days, for the pairs in it and for rules, and the number of pairs."""
    starts_a, ends_a = unsorted_list(DAYS * PER_DAY // 2, 1)
    starts_b, ends_b = unsorted_list(DAYS * PER_DAY // 2, 2)
    span = int(max(ends_a.max(), ends_b.max()))
    window = span * days // DAYS + 1
    inside = [
        (
            (starts_a[ends_a // window == i], ends_a[ends_a // window == i]),
            (starts_b[ends_b // window == i], ends_b[ends_b // window == i]),
        )
        for i in range(DAYS // days)
    ]

    def pairs() -> None:
        for sources, targets in inside:
            compared = allen.compare(*sources, *targets)
            for relation in allen.RELATIONS:
                compared.pairs(relation)

    return {
        "days": days,
        "intervals": days * PER_DAY,
        "pairs": sum(sum(allen.compare(*a, *b).counts().values()) for a, b in inside) // len(inside),
        "pairs_seconds": best_seconds(pairs, 5) / len(inside),
        "rules_seconds": _rules_seconds((starts_a, ends_a), (starts_b, ends_b), window),
    }


def _rules_seconds(sources: tuple[Int64, Int64], targets: tuple[Int64, Int64], window: int) -> float:
    reads = "holdsFor(a=true, A), holdsFor(b=true, B)"
    rules = "collectIntervals(a=true).\ncollectIntervals(b=true).\n" + "".join(
        f"holdsFor({relation}=true, I) :- {reads}, allen({relation}, A, B, union, I).\n" for relation in allen.RELATIONS
    )
    lines = [
        f"{name}|{end}|{start}|{end}|true\n"
        for name, given in (("a", sources), ("b", targets))
        for start, end in zip(*given, strict=True)
    ]
    lines.sort(key=lambda line: int(line.split("|")[1]))
    stream = Stream(compile_text(rules, "allen"), "".join(lines).encode())
    return min(mean(stream.run(window).seconds_of_each()) for _ in range(3))


def show_streamed(rows: list[dict[str, Any]]) -> None:
    cells = []
    for row in rows:
        published = [duration(seconds) for seconds in STREAMED[row["days"]]]
        counts = [str(row["days"]), f"{row['intervals']:,}", f"{row['pairs']:,}"]
        own = [f"{1000 * row['pairs_seconds']:.1f} ms", duration(row["rules_seconds"])]
        cells.append([*counts, *own, *published])
    print()
    print_table(["days", "intervals", "pairs", "pairs", "rules", "RTEC_A, as published", "D²IA, as published"], cells)


def show(rows: list[dict[str, Any]]) -> None:
    print("| intervals | all relations | pairs | ns per interval | RTEC_A, as published |")
    print("|---|---|---|---|---|")
    for row in rows:
        published = "" if row["published_seconds"] is None else f"{1000 * row['published_seconds']:,.0f} ms"
        cost = 1e9 * row["seconds"] / row["intervals"]
        print(
            f"| {row['intervals']:,} | {1000 * row['seconds']:,.2f} ms | {row['pairs']:,} | {cost:.0f} | {published} |"
        )
    largest = max((row for row in rows if row["each"]), key=lambda row: row["intervals"], default=None)
    if largest is not None:
        print(f"\n| relation alone, {largest['intervals']:,} intervals | |\n|---|---|")
        for relation, seconds in largest["each"].items():
            print(f"| `{relation}` | {1000 * seconds:.2f} ms |")


def draw(rows: list[dict[str, Any]], picture: Path) -> None:
    """Seconds against intervals, both logarithmic, where linear growth is a line of slope 1."""
    import matplotlib  # type: ignore[import-not-found, import-untyped, unused-ignore]

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    sizes = [row["intervals"] for row in rows]
    axes.loglog(sizes, [row["seconds"] for row in rows], marker="o", label="holdsfor, all 13 relations")
    known = [row for row in rows if row["published_seconds"] is not None]
    if known:
        published = [row["published_seconds"] for row in known]
        axes.loglog([row["intervals"] for row in known], published, marker="s", label="RTEC_A, as published")
    axes.set(xlabel="intervals in two unsorted lists", ylabel="seconds")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(picture, dpi=120, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast are Allen's relations computed?")
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="INTERVALS")
    rows = [measured(size) for size in parser.parse_args().sizes]
    show(rows)
    in_windows = [streamed(days) for days in STREAMED]
    show_streamed(in_windows)
    write_results("allen", [*rows, *in_windows])
    draw(rows, RESULTS / "allen.png")


if __name__ == "__main__":
    main()
