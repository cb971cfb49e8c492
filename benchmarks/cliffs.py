"""Cost of a row as work grows, for every operator, kernel and shape of rules in a catalogue: a cliff is a defect.

`python benchmarks/cliffs.py [--only WORD] [--long] [--resume] [--page FILE]` measures each shape at n, 10 n and 100 n
rows, entities, rules or windows (`--long`: n is ten times as large), prints tables and writes
`build/benchmarks/cliffs.json` after every shape; `--resume` keeps the measurements of that file and adds the others,
and `--page` writes the tables to a page of the documentation. `RTEC=path` adds the rules and records of a checkout of
RTEC.

A cost is the processor time per row of input and output together, so a large output is no cliff. *Growth* is the factor
by which a row costs more at ten times the size; n log n costs less than 1.5. Shapes that grow by more than 2 are
measured again, since a busy machine has slow moments, and are listed if they still do.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise
from pathlib import Path
from time import process_time
from typing import Any

from cliff_files import FILE_SHAPES
from cliff_hostile import HOSTILE_SHAPES
from cliff_intervals import INTERVAL_SHAPES
from cliff_kernels import KERNEL_SHAPES
from cliff_points import POINT_SHAPES
from cliff_programs import PROGRAM_SHAPES
from cliff_rtec import is_missing, rtec_shapes
from cliff_shapes import Shape
from showing import table_lines
from timing import RESULTS, write_results

CATALOGUE: tuple[Shape, ...] = (
    *POINT_SHAPES,
    *INTERVAL_SHAPES,
    *PROGRAM_SHAPES,
    *HOSTILE_SHAPES,
    *KERNEL_SHAPES,
    *FILE_SHAPES,
)
"""Every shape, apart from RTEC's files."""

STEPS = (1, 10, 100)
CLIFF = 2.0
_ENOUGH = 0.4
_AGAIN = 3
_FILE = RESULTS / "cliffs.json"

_PAGE = """# Growth of costs

The cost of a row of input and output, in microseconds of processor time, at n, 10 n and 100 n rows, entities, rules or
windows. *Growth* is the factor by which a row costs more at ten times the size: n log n costs less than 1.5, a row of
n² costs 10. The second column has the largest size. `benchmarks/cliffs.py --page` writes this page, on a
machine that other programs also use; [benchmarks](benchmarks.md#growth) says how to read it.
"""


@dataclass(frozen=True)
class Point:
    """The measurement of a shape at one size."""

    n: int
    n_rows: int
    n_output: int
    seconds: float

    @property
    def cost(self) -> float:
        """Seconds per row of input and output."""
        return self.seconds / max(1, self.n_rows + self.n_output)


@dataclass(frozen=True)
class Measured:
    """The measurements of a shape by size."""

    shape: Shape
    points: tuple[Point, ...]

    @property
    def growth(self) -> float:
        """The largest factor by which a row costs more at ten times the size."""
        return max(after.cost / before.cost for before, after in pairwise(self.points))

    @property
    def is_cliff(self) -> bool:
        return self.growth > CLIFF


def measured(shape: Shape, sizes: Sequence[int]) -> Measured:
    """The shape at each of the sizes; a shape that grows is measured again, and the best counts."""
    found = Measured(shape, tuple(_point(shape, n) for n in sizes))
    for _ in range(_AGAIN):
        if not found.is_cliff or found.points[-1].seconds > 10 * _ENOUGH:
            break
        again = (_point(shape, n) for n in sizes)
        found = Measured(shape, tuple(map(_better, found.points, again)))
    return found


def _better(one: Point, other: Point) -> Point:
    return min(one, other, key=lambda point: point.seconds)


def _point(shape: Shape, n: int) -> Point:
    """The best of some runs; short work runs more often."""
    case = shape.case(n)
    best, spent, n_output = float("inf"), 0.0, 0
    for _ in range(5):
        work = case.start()
        begin = process_time()
        n_output = work()
        seconds = process_time() - begin
        best, spent = min(best, seconds), spent + seconds
        if spent > _ENOUGH:
            break
    return Point(n, case.n_rows, n_output, best)


def row_of(found: Measured) -> list[str]:
    """The cells of a table."""
    costs = [f"{1e6 * point.cost:,.2f}" for point in found.points]
    sign = " **cliff**" if found.is_cliff else ""
    return [found.shape.name, f"{found.points[-1].n:,}", *costs, f"{found.growth:.2f}{sign}"]


def tables(results: Sequence[Measured]) -> Iterator[str]:
    """The lines of a table for each family, then the shapes that grow beyond n log n."""
    for family, group in groupby(results, key=lambda each: (each.shape.family, each.shape.dimension)):
        name, dimension = family
        yield f"\n## {name[0].upper()}{name[1:].split(',')[0]}, by {dimension}\n"
        headings = [
            "shape",
            "entities" if dimension == "entity" else f"{dimension}s",
            "µs at n",
            "at 10 n",
            "at 100 n",
            "growth",
        ]
        yield from table_lines(headings, map(row_of, group))
    cliffs = [each for each in results if each.is_cliff]
    yield f"\n## Beyond n log n\n\n{len(results)} shapes, {len(cliffs)} of them beyond n log n:\n"
    for each in cliffs:
        yield f"- {each.shape.name}: {each.shape.reason or 'no reason is known'}"


def results_of(shapes: Sequence[Shape], factor: int, known: Sequence[dict[str, Any]] = ()) -> Iterator[Measured]:
    """The measurements of the shapes, those that are known as they are.

    Shapes without their files are left out, with a line that says so.
    """
    measurements = {(row["family"], row["name"]): row for row in known}
    for shape in shapes:
        sizes = [factor * step * shape.n for step in STEPS]
        row = measurements.get((shape.family, shape.name))
        if row is not None and [point["n"] for point in row["points"]] == sizes:
            yield from_json(shape, row)
            continue
        try:
            found = measured(shape, sizes)
        except BaseException as problem:
            if not is_missing(problem):
                raise
            print(f"left out: {shape.family}, {shape.name}: {problem}", file=sys.stderr)
            continue
        print(f"{shape.family}, {shape.name}: {found.growth:.2f}", file=sys.stderr, flush=True)
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of a row as work grows, for a catalogue of shapes.")
    parser.add_argument("--only", default="", metavar="WORD", help="the shapes and families with this word")
    parser.add_argument("--long", action="store_true", help="ten times the sizes")
    parser.add_argument("--resume", action="store_true", help="keep the measurements of an earlier run")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables to a page of the documentation")
    options = parser.parse_args()
    of_rtec = rtec_shapes()
    if not of_rtec:
        print("left out: RTEC's files (set RTEC to the folder of a checkout)", file=sys.stderr)
    chosen = [
        shape for shape in (*CATALOGUE, *of_rtec) if options.only.lower() in f"{shape.family} {shape.name}".lower()
    ]
    if not chosen:
        parser.error(f"no shape has the word `{options.only}`")
    known = json.loads(_FILE.read_text(encoding="utf-8")) if options.resume and _FILE.exists() else []
    results: list[Measured] = []
    for found in results_of(chosen, 10 if options.long else 1, known):
        results.append(found)
        write_results("cliffs", [as_json(each) for each in results])
    lines = list(tables(results))
    print("\n".join(lines))
    if options.page is not None:
        options.page.write_text("\n".join([_PAGE, *lines]).replace("\n\n\n", "\n\n") + "\n", encoding="utf-8")


def as_json(found: Measured) -> dict[str, Any]:
    """The measurements as a row of the file."""
    shape = found.shape
    points = [{**asdict(point), "microseconds_per_row": 1e6 * point.cost} for point in found.points]
    return {
        "name": shape.name,
        "family": shape.family,
        "dimension": shape.dimension,
        "points": points,
        "growth": found.growth,
        "reason": shape.reason,
    }


def from_json(shape: Shape, row: dict[str, Any]) -> Measured:
    """The measurements of a row of the file."""
    names = ("n", "n_rows", "n_output", "seconds")
    return Measured(shape, tuple(Point(*(point[name] for name in names)) for point in row["points"]))


if __name__ == "__main__":
    main()
