"""Output of benchmarks: Markdown tables, readable numbers, and charts of curves."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from timing import RESULTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Curve", "Panel", "draw_charts", "duration", "print_table", "size_options", "spread", "table_lines"]

Scale = Literal["linear", "log"]

# The colours of Okabe and Ito, distinguishable with every kind of colour vision, darkest first.
_FEW_TICKS = 5  # values on an axis, each of which is shown
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_INK, _FAINT = "#212529", "#dee2e6"
_MARKERS = "osD^vP"


def size_options(about: str) -> argparse.Namespace:
    """The options of a benchmark with a short and a long form: `long`, and `pictures`, the folder of its charts."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--long", action="store_true", help="the largest sizes too")
    parser.add_argument("--pictures", type=Path, default=RESULTS, metavar="FOLDER", help="the folder of the charts")
    options = parser.parse_args()
    try:
        options.pictures.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        parser.error(f"charts cannot be written to {options.pictures}: {(problem.strerror or str(problem)).lower()}")
    return options


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table."""
    for line in table_lines(headings, rows):
        print(line, flush=True)


def table_lines(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    for cells in chain((headings, ["---"] * len(headings)), rows):
        yield "| " + " | ".join(cells) + " |"


def duration(seconds: float) -> str:
    """Seconds in a readable unit.

    >>> duration(0.0421), duration(0.42), duration(2.83), duration(356)
    ('42 ms', '420 ms', '2.8 s', '356 s')
    """
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"


def spread(costs: Sequence[float]) -> float:
    """The ratio of the largest cost to the smallest: 1 for a flat curve."""
    return max(costs) / min(costs)


@dataclass(frozen=True)
class Curve:
    """Named points; the x values ascend."""

    label: str
    xs: Sequence[float]
    ys: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """One chart of some curves; a logarithmic scale has no zeros."""

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    x_scale: Scale = "log"
    y_scale: Scale = "log"


def draw_charts(path: Path, panels: Sequence[Panel]) -> None:
    """Draw the panels side by side, or print a message if Matplotlib is missing."""
    if find_spec("matplotlib") is None:
        print(f"Matplotlib not found: no {path.name} (pip install 'holdsfor[plot]')")
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(panels), 3.4), dpi=110, facecolor="white", layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _draw(axes, panel)
    figure.savefig(path, metadata={"Software": "holdsfor"})
    print(f"The curves are in {path}.")


def _draw(axes: Axes, panel: Panel) -> None:
    assert len(panel.curves) <= len(_COLOURS), "there is a colour for each curve"
    for curve, colour, marker in zip(panel.curves, _COLOURS, _MARKERS, strict=False):
        axes.plot(curve.xs, curve.ys, color=colour, marker=marker, markersize=4.5, linewidth=1.6, label=curve.label)
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    xs = sorted({x for curve in panel.curves for x in curve.xs})
    if len(xs) <= _FEW_TICKS:
        axes.set_xticks(xs, [f"{x:,g}" for x in xs])
        axes.set_xticks([], minor=True)
    bottom, top = _limits(panel)
    axes.set_ylim(bottom, top)
    axes.set_title(panel.title, fontsize=10.5, fontweight="bold", color=_INK, loc="left")
    axes.set_xlabel(panel.x, fontsize=9, color=_INK)
    axes.set_ylabel(panel.y, fontsize=9, color=_INK)
    axes.tick_params(labelsize=8.5, color=_FAINT, labelcolor=_INK, which="both")
    axes.grid(color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#adb5bd")
    if len(panel.curves) > 1:
        axes.legend(fontsize=8.5, frameon=False)


def _limits(panel: Panel) -> tuple[float, float | None]:
    """At least two decades on a logarithmic scale, so that a flat curve appears flat; from zero on a linear scale."""
    if panel.y_scale == "linear":
        return 0, None
    values = [y for curve in panel.curves for y in curve.ys]
    margin = max(1.5, 10 / spread(values) ** 0.5)
    return min(values) / margin, max(values) * margin
