"""Speed of Allen's relations: two unsorted lists, all thirteen relations and each alone, on one core.

`python benchmarks/allen.py [INTERVALS …]` prints tables, writes `build/benchmarks/allen.json` and draws the curve as
`build/benchmarks/allen.png`. Sizes count the intervals of both lists. Sorting is part of the time.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from timing import RESULTS, best_seconds, write_results

from holdsfor import allen
from holdsfor.kernels.keys import Int64

SIZES = (200, 2_000, 20_000, 200_000, 2_000_000, 20_000_000)
PUBLISHED = {200: 0.001, 2_000: 0.014, 20_000: 0.154, 200_000: 1.8}
"""Seconds of RTEC_A for all relations, on another machine: Mantenoglou, Kelesis and Artikis (KR 2023), Table 3(a)."""


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
    write_results("allen", rows)
    draw(rows, RESULTS / "allen.png")


if __name__ == "__main__":
    main()
