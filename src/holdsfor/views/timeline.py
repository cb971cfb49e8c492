"""The timeline of a result: the intervals of fluent-value pairs, and the times of events.

The values of a fluent share a lane, and lanes are grouped by fluent or by an entity. Each value has a colour, and its
name is in the bar or in the legend. A bar covers the time-points at which the value holds; its left edge is marked
where the bar has room, since the interval is closed there and open on the right. An arrow at the edge of the picture
means that the interval continues. A file is one page. It has the rows that hold longest, and notes on those that are
left out and on the intervals that are narrower than a pixel.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.errors import Diagnostic, UsageProblem, printable
from holdsfor.views.chart import Chart
from holdsfor.views.lanes import FLUENT, groups_by
from holdsfor.views.palette import palette
from holdsfor.views.picture_file import check_suffix, write_picture
from holdsfor.views.terminal import text_timeline
from holdsfor.views.time_axis import IntegerAxis, TimeAxis
from holdsfor.views.timeline_layout import layout
from holdsfor.views.timeline_rows import Row, RowKind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "TIMELINE_SUFFIXES",
    "Drawn",
    "Row",
    "RowKind",
    "check_timeline",
    "draw_timeline",
    "text_timeline",
    "timeline_figure",
]

TIMELINE_SUFFIXES = (".png", ".svg")

_STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "holdsfor",
    "path.simplify": False,
    "agg.path.chunksize": 0,
}


@dataclass(frozen=True)
class Drawn:
    """A file with a timeline, and the rows that do not fit on the page: their number, and which they are."""

    path: Path
    n_rows: int
    n_left_out: int
    left_out: str


def draw_timeline(
    rows: Sequence[Row],
    *,
    start: int,
    end: int,
    path: Path,
    title: str | None = None,
    by: str = FLUENT,
    axis: TimeAxis | None = None,
) -> Drawn:
    """Draw the rows from `start` to `end` into `path` (.png or .svg), grouped by fluent or by an argument.

    The same rows give the same bytes. `UsageProblem` if the suffix is another, Matplotlib is missing, no row has the
    argument, or the file cannot be written.
    """
    suffix = check_timeline(path)
    with _settings():
        chart = _chart(rows, start, end, title, by, axis)
        write_picture(path, chart.render(suffix))
    return Drawn(path, chart.page.n_lanes, chart.page.n_left_out, chart.page.left_out)


def timeline_figure(
    rows: Sequence[Row],
    *,
    start: int,
    end: int,
    title: str | None = None,
    by: str = FLUENT,
    axis: TimeAxis | None = None,
) -> Figure:
    """The timeline of the rows from `start` to `end` as a figure of Matplotlib, as `draw_timeline` writes it."""
    if find_spec("matplotlib") is None:
        raise UsageProblem(_no_matplotlib("a figure"))
    with _settings():
        return _chart(rows, start, end, title, by, axis).figure()


def _chart(rows: Sequence[Row], start: int, end: int, title: str | None, by: str, axis: TimeAxis | None) -> Chart:
    if end < start:
        raise ValueError(f"a timeline cannot end at {end} and start at {start}")
    page = layout(groups_by(rows, by), start, end + 1)
    column = "" if by == FLUENT or by.isdecimal() else by
    return Chart(page, start, end + 1, palette(rows), axis or IntegerAxis(), printable(title or ""), column)


def check_timeline(path: Path) -> str:
    """The suffix of a picture that can be drawn; else `UsageProblem`."""
    suffix = check_suffix(path, TIMELINE_SUFFIXES)
    if find_spec("matplotlib") is None:
        raise UsageProblem(_no_matplotlib(suffix))
    return suffix


def _no_matplotlib(form: str) -> Diagnostic:
    return Diagnostic(
        "HF751",
        f"Matplotlib not found, which draws the timeline as {form}",
        hint="`pip install 'holdsfor[plot]'`",
    )


@contextmanager
def _settings() -> Iterator[None]:
    """Matplotlib with the settings of this module; afterwards the user's settings are restored."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # A character that the font lacks is drawn as a box, without a warning.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield
