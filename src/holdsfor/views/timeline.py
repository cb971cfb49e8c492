"""The timeline of a result: the intervals of fluent-value pairs, and the times of events.

One row per fluent-value pair or event, grouped by fluent. Each fluent has a colour, and its values have shades of it. A
bar covers the time-points at which the pair holds; its left edge is marked, since the interval is closed there and open
on the right. An arrow at the edge of the picture means that the interval continues. Each file is one page; further rows
are in further files, with the page number in the title.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.errors import Diagnostic, UsageProblem, printable
from holdsfor.views.labels import columns, wrapped
from holdsfor.views.picture_file import check_suffix, write_picture
from holdsfor.views.terminal import text_timeline
from holdsfor.views.timeline_rows import Row, RowKind, bars, grouped, tick_times, visible_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["TIMELINE_SUFFIXES", "Row", "RowKind", "draw_timeline", "page_path", "text_timeline"]

TIMELINE_SUFFIXES = (".png", ".svg")
ROWS_PER_PAGE = 60

# Sizes in inches.
_CHART_WIDTH = 8.4
_ROW_HEIGHT = 0.30
_LABEL_LINE_HEIGHT = 0.17
_GROUP_GAP = 0.10
_TOP, _TITLE, _BOTTOM, _RIGHT = 0.15, 0.42, 0.5, 0.3
_LABEL_MARGIN = 0.25
_LABEL_COLUMNS = 56
_FONT_SIZE = 9.5

# The colours of Okabe and Ito, distinguishable with every kind of colour vision, darkest first.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f00")
_INPUT_COLOUR = "#868e96"
_INK, _FAINT, _BAND = "#212529", "#dee2e6", "#f6f7f9"

_STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": _FONT_SIZE,
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "holdsfor",
    "path.simplify": False,
}


def draw_timeline(
    rows: Sequence[Row],
    *,
    start: int,
    end: int,
    path: Path,
    title: str | None = None,
    time_format: Callable[[int], str] = str,
) -> list[Path]:
    """Draw the rows from `start` to `end` into `path` (.png or .svg), and return the files written.

    More than `ROWS_PER_PAGE` rows make further pages beside the first, named by `page_path`. The same rows give the
    same bytes. `UsageProblem` if the suffix is another, Matplotlib is missing, or a file cannot be written.
    """
    if end < start:
        raise ValueError(f"a timeline cannot end at {end} and start at {start}")
    suffix = check_suffix(path, TIMELINE_SUFFIXES)
    if find_spec("matplotlib") is None:
        raise UsageProblem(_no_matplotlib(suffix))
    pages = _pages(grouped(rows))
    colours = _colours(grouped(rows))
    written = []
    for number, page in enumerate(pages, start=1):
        heading = [printable(title)] if title else []
        if len(pages) > 1:
            heading.append(f"page {number} of {len(pages)}")
        with _settings():
            picture = _Chart(page, start, end, " · ".join(heading), colours, time_format).render(suffix)
        written.append(page_path(path, number))
        write_picture(written[-1], picture)
    return written


def page_path(path: Path, number: int) -> Path:
    """The file of a page: the first is `path` itself.

    >>> page_path(Path("day.png"), 1).name, page_path(Path("day.png"), 2).name
    ('day.png', 'day-2.png')
    """
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _no_matplotlib(suffix: str) -> Diagnostic:
    return Diagnostic(
        "HF751",
        f"Matplotlib not found, which draws the timeline as {suffix}",
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


def _pages(groups: list[list[Row]]) -> list[list[list[Row]]]:
    """The groups in pages of at most `ROWS_PER_PAGE` rows; a group is broken where a page is full."""
    pages: list[list[list[Row]]] = [[]]
    room = ROWS_PER_PAGE
    for group in groups:
        rest = group
        while rest:
            if not room:
                pages.append([])
                room = ROWS_PER_PAGE
            taken, rest = rest[:room], rest[room:]
            pages[-1].append(taken)
            room -= len(taken)
    return pages


def _colours(groups: list[list[Row]]) -> dict[str, str]:
    """A colour for each label: a hue for the group, a shade for the value."""
    colours = {}
    hues = 0
    for group in groups:
        hue = _INPUT_COLOUR if group[0].kind == "input" else _COLOURS[hues % len(_COLOURS)]
        hues += group[0].kind != "input"
        values = list(dict.fromkeys(_value(row.label) for row in group))
        for row in group:
            shade = values.index(_value(row.label)) / max(1, len(values) - 1) if len(values) > 1 else 0
            colours[row.label] = _lighter(hue, 0.55 * shade)
    return colours


def _value(label: str) -> str:
    return label.rpartition("=")[2] if "=" in label else ""


def _lighter(colour: str, share: float) -> str:
    channels = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(channel + (255 - channel) * share):02x}" for channel in channels)


def _width(text: str) -> float:
    """The width of a line of text, in inches.

    The viewer of an SVG may choose another font. DejaVu Sans is wider than the usual choices; a character that it lacks
    counts as many columns as in a terminal.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=["DejaVu Sans"], size=_FONT_SIZE)
    measured: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return max(measured, columns(text) * _FONT_SIZE / 2) / 72


class _Chart:
    """One page: the layout (in inches from the top left), then the drawing."""

    def __init__(
        self,
        groups: list[list[Row]],
        start: int,
        end: int,
        title: str,
        colours: dict[str, str],
        time_format: Callable[[int], str],
    ) -> None:
        self.groups, self.colours, self.title = groups, colours, title
        self.start, self.end, self.time_format = start, end, time_format
        self.span = max(1, end - start)
        self.labels = {row.label: wrapped(row.label, _LABEL_COLUMNS) for group in groups for row in group}
        lines = [line for lines in self.labels.values() for line in lines]
        self.margin = _LABEL_MARGIN + max(map(_width, lines), default=0)
        self.header = _TOP + (_TITLE if title else 0)
        self.heights = [[self._height(row) for row in group] for group in groups]
        self.chart_height = max(_ROW_HEIGHT, sum(map(sum, self.heights)) + _GROUP_GAP * len(groups))

    def _height(self, row: Row) -> float:
        return max(_ROW_HEIGHT, _LABEL_LINE_HEIGHT * len(self.labels[row.label]) + 0.08)

    def render(self, suffix: str) -> bytes:
        from matplotlib.figure import Figure

        width = self.margin + _CHART_WIDTH + _RIGHT
        height = self.header + self.chart_height + _BOTTOM
        figure = Figure(figsize=(width, height), dpi=160, facecolor="white")
        axes = figure.add_axes(
            (self.margin / width, _BOTTOM / height, _CHART_WIDTH / width, self.chart_height / height)
        )
        self._draw(figure, axes)
        content = io.BytesIO()
        metadata = {"Date": None, "Creator": "holdsfor"} if suffix == ".svg" else {"Software": "holdsfor"}
        figure.savefig(content, format=suffix[1:], metadata=metadata)
        return content.getvalue()

    def _draw(self, figure: Figure, axes: Axes) -> None:
        axes.set_xlim(0, self.span)
        axes.set_ylim(self.chart_height, 0)
        self._draw_axis(axes)
        top = 0.0
        for number, (group, heights) in enumerate(zip(self.groups, self.heights, strict=True)):
            self._draw_band(axes, top, sum(heights) + _GROUP_GAP, _BAND if number % 2 == 0 else "white")
            top += _GROUP_GAP / 2
            for row, height in zip(group, heights, strict=True):
                self._draw_row(axes, row, top + height / 2)
                top += height
            top += _GROUP_GAP / 2
        if not self.groups:
            axes.text(
                self.span / 2, self.chart_height / 2, "nothing holds or occurs", ha="center", va="center", color=_INK
            )
        if self.title:
            height = figure.get_figheight()
            figure.text(
                0.12 / figure.get_figwidth(),
                1 - (_TOP + 0.12) / height,
                self.title,
                fontsize=12.5,
                fontweight="bold",
                color=_INK,
                va="center",
            )

    def _draw_axis(self, axes: Axes) -> None:
        longest = max(_width(self.time_format(time)) for time in (self.start, self.end))
        times = tick_times(self.start, self.end, min(12, int(_CHART_WIDTH / (longest + 0.35))))
        axes.set_xticks([time - self.start for time in times], [self.time_format(time) for time in times])
        axes.set_yticks([])
        axes.tick_params(axis="x", length=3, color=_FAINT, labelcolor=_INK, pad=4)
        axes.grid(axis="x", color=_FAINT, linewidth=0.8, zorder=1)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color("#adb5bd")

    def _draw_band(self, axes: Axes, top: float, height: float, colour: str) -> None:
        """The background of a group, under the labels and the chart."""
        axes.axhspan(
            top,
            top + height,
            xmin=-(self.margin - 0.06) / _CHART_WIDTH,
            xmax=1 + (_RIGHT - 0.06) / _CHART_WIDTH,
            facecolor=colour,
            edgecolor="none",
            clip_on=False,
            zorder=0,
        )

    def _draw_row(self, axes: Axes, row: Row, middle: float) -> None:
        axes.annotate(
            "\n".join(self.labels[row.label]),
            (0, middle),
            xytext=(-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=_INK,
            annotation_clip=False,
        )
        colour = self.colours[row.label]
        self._draw_bars(axes, row, middle, colour)
        times = [time - self.start for time in visible_times(row, self.start, self.end)]
        if times:
            axes.plot(
                times,
                [middle] * len(times),
                linestyle="none",
                marker="|" if row.kind == "input" else "D",
                markersize=9 if row.kind == "input" else 6.5,
                markeredgewidth=1.6 if row.kind == "input" else 0.8,
                color=colour,
                markeredgecolor=colour if row.kind == "input" else "white",
                clip_on=False,
                zorder=4,
            )

    def _draw_bars(self, axes: Axes, row: Row, middle: float, colour: str) -> None:
        shown = bars(row, self.start, self.end)
        thick = 0.62 * _ROW_HEIGHT
        narrowest = self.span * 0.0025
        pieces = [(bar.start - self.start, max(bar.end - bar.start, narrowest)) for bar in shown]
        if pieces:
            axes.broken_barh(pieces, (middle - thick / 2, thick), facecolors=colour, linewidth=0, zorder=3)
            starts = [bar.start - self.start for bar in shown if not bar.began_before]
            axes.vlines(starts, middle - thick / 2, middle + thick / 2, colors=_INK, linewidth=1.3, zorder=4)
        arrow = 0.13 / _CHART_WIDTH * self.span
        for edge, tip, present in (
            (self.span, self.span + arrow, any(bar.continues for bar in shown)),
            (0, -arrow / 2, any(bar.began_before for bar in shown)),
        ):
            if present:
                axes.fill(
                    [edge, tip, edge],
                    [middle - thick / 2, middle, middle + thick / 2],
                    color=colour,
                    linewidth=0,
                    clip_on=False,
                    zorder=3,
                )
