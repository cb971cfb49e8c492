"""Cost of a row as work grows, for every operator, kernel and shape of rules in a catalogue: a cliff is a defect.

`python benchmarks/cliffs.py [--only WORD] [--long]` measures each shape at n, 10 n and 100 n rows, entities, rules or
windows (`--long`: n is ten times as large), prints tables and writes `build/benchmarks/cliffs.json`. A cost is the
processor time per row of input and output together, so a large output is no cliff. *Growth* is the factor by which a
row costs more at ten times the size; n log n costs less than 1.5. Shapes that grow by more than 2 are listed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise
from time import process_time

from cliff_files import FILE_SHAPES
from cliff_intervals import INTERVAL_SHAPES
from cliff_kernels import KERNEL_SHAPES
from cliff_points import POINT_SHAPES
from cliff_programs import PROGRAM_SHAPES
from cliff_shapes import Shape
from showing import print_table
from timing import write_results

CATALOGUE: tuple[Shape, ...] = (*POINT_SHAPES, *INTERVAL_SHAPES, *PROGRAM_SHAPES, *KERNEL_SHAPES, *FILE_SHAPES)
"""Every shape."""

STEPS = (1, 10, 100)
CLIFF = 2.0
_ENOUGH = 0.4


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
    """The shape at each of the sizes."""
    return Measured(shape, tuple(_point(shape, n) for n in sizes))


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


def show(results: Sequence[Measured]) -> None:
    """Print a table for each family, then the shapes that grow beyond n log n."""
    for family, group in groupby(results, key=lambda each: (each.shape.family, each.shape.dimension)):
        name, dimension = family
        print(f"\n### {name}, by {dimension}\n")
        print_table([name, f"{dimension}s", "µs at n", "at 10 n", "at 100 n", "growth"], map(row_of, group))
    cliffs = [each for each in results if each.is_cliff]
    print(f"\n{len(results)} shapes, {len(cliffs)} beyond n log n")
    for each in cliffs:
        print(f"- {each.shape.name}: {each.shape.reason or 'no reason is known'}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of a row as work grows, for a catalogue of shapes.")
    parser.add_argument("--only", default="", metavar="WORD", help="the shapes and families with this word")
    parser.add_argument("--long", action="store_true", help="ten times the sizes")
    options = parser.parse_args()
    chosen = [shape for shape in CATALOGUE if options.only.lower() in f"{shape.family} {shape.name}".lower()]
    if not chosen:
        parser.error(f"no shape has the word `{options.only}`")
    factor = 10 if options.long else 1
    results = [measured(shape, [factor * step * shape.n for step in STEPS]) for shape in chosen]
    show(results)
    write_results("cliffs", [_as_json(each) for each in results])


def _as_json(found: Measured) -> dict[str, object]:
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


if __name__ == "__main__":
    main()
