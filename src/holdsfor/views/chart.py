"""One page of a timeline, drawn with Matplotlib. Lengths are inches, from the top left."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from holdsfor.errors import printable
from holdsfor.views.chart_lanes import VALUE_FONT, LaneShapes, Rectangle
from holdsfor.views.chart_legend import legend, legend_lines
from holdsfor.views.palette import BAND, FAINT, INK, QUIET, Palette
from holdsfor.views.time_axis import Tick, TimeAxis
from holdsfor.views.timeline_layout import Layout, PlacedGroup, PlacedLane, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Chart"]

_DPI = 160
_WIDTH = 8.4
_PIXEL = 1.5 / _DPI  # the narrowest mark that is easy to see
_TOP, _TITLE, _AXIS, _SECOND_LINE, _RIGHT, _MARGIN = 0.15, 0.36, 0.32, 0.15, 0.3, 0.14
_NOTE_LINE, _LEGEND_LINE, _COLUMN = 0.17, 0.21, 0.1
_NOTE_FONT, _LEGEND_FONT, _AXIS_FONT = 7.5, 8.5, 9.0
_TALL = 10.0


class Chart:
    """The lanes, labels, axis, legend and notes of a page that covers the times from `start` up to `end`."""

    def __init__(
        self, page: Layout, start: int, end: int, palette: Palette, axis: TimeAxis, title: str, column: str
    ) -> None:
        self.page, self.start, self.end, self.axis, self.title = page, start, end, axis, title
        self.shapes = LaneShapes(start, end, _WIDTH, _PIXEL, palette)
        for placed in page.lanes:
            self.shapes.note_crowded(placed)
        for placed in page.lanes:
            self.shapes.add(placed)
        headings = self._widest([column, *(group.heading for group in page.groups)])
        labels = self._widest([line for lane in page.lanes for line in lane.label])
        self.column, self.ticks = column, self._ticks()
        self.margin = _MARGIN + sum(width + _MARGIN for width in (headings, labels) if width)
        self.width = self.margin + _WIDTH + _RIGHT
        entries = legend(page, palette, self.shapes.named, has_starts=bool(self.shapes.edges))
        self.legend = legend_lines(entries, self.width - 2 * _MARGIN, _LEGEND_FONT)
        self.notes = _wrapped(self._notes(), self.width - 2 * _MARGIN)

    def _widest(self, lines: Iterable[str]) -> float:
        """The width of the widest line; only the longest ones are measured."""
        longest = sorted(set(lines), key=len)[-20:]
        return max((text_width(printable(line), self.page.font) for line in longest if line), default=0.0)

    def _ticks(self) -> list[Tick]:
        """As many ticks as their labels leave room for."""
        for most in range(12, 2, -1):
            ticks = self.axis.ticks(self.start, self.end - 1, most)
            lines = [line for tick in ticks for line in (tick.label, tick.context)]
            widest = max((text_width(line, _AXIS_FONT) for line in set(lines)), default=0)
            if (len(ticks) - 1) * (widest + 0.2) <= _WIDTH:
                return ticks
        return self.axis.ticks(self.start, self.end - 1, 2)

    def _notes(self) -> list[str]:
        """What the picture does not show."""
        shapes, length = self.shapes, self.axis.length(self.shapes.shortest)
        notes = [f"not drawn: {self.page.left_out}"] if self.page.n_left_out else []
        if shapes.n_widened:
            notes.append(f"intervals shorter than {length} are drawn that wide")
        if shapes.n_merged:
            notes.append(f"low bars merge {shapes.n_merged:,} short intervals, less than {length} apart")
        if shapes.n_hidden_events:
            notes.append(f"{shapes.n_hidden_events:,} events are less than {length} after another one, and not drawn")
        return [*notes, self.axis.note()] if self.axis.note() else notes

    def render(self, suffix: str) -> bytes:
        """The picture as the content of a file."""
        content = io.BytesIO()
        metadata = {"Date": None, "Creator": "holdsfor"} if suffix == ".svg" else {"Software": "holdsfor"}
        self.figure().savefig(content, format=suffix[1:], metadata=metadata)
        return content.getvalue()

    def figure(self) -> Figure:
        """The picture as a figure of Matplotlib."""
        from matplotlib.figure import Figure

        axis = self._axis_height
        above = (
            _TOP
            + _COLUMN * (1 + bool(self.legend)) * bool(self.column)
            + _TITLE * bool(self.title)
            + _LEGEND_LINE * len(self.legend)
            + axis * self._is_tall
        )
        below = axis + _NOTE_LINE * len(self.notes) + 0.06
        height = above + self.page.height + below
        figure = Figure(figsize=(self.width, height), dpi=_DPI, facecolor="white")
        axes = figure.add_axes(
            (self.margin / self.width, below / height, _WIDTH / self.width, self.page.height / height)
        )
        axes.set_xlim(0, _WIDTH)
        axes.set_ylim(self.page.height, 0)
        self._draw_axis(axes)
        self._draw_lanes(axes)
        self._draw_frame(figure, height)
        return figure

    def _draw_frame(self, figure: Figure, height: float) -> None:
        """The title, the legend and the notes."""

        def write(left: float, top: float, text: str, size: float, colour: str, weight: str = "normal") -> None:
            place = left / self.width, 1 - top / height
            figure.text(*place, text, fontsize=size, color=colour, fontweight=weight, va="center_baseline")

        top = _TOP + 0.08
        if self.title:
            write(_MARGIN, top, self.title, 12.5, INK, "bold")
            top += _TITLE
        for line in self.legend:
            for at, entry in line:
                left = _MARGIN + at
                if entry.colour:
                    write(left, top, entry.symbol, _LEGEND_FONT + 1, entry.colour)
                    left += 0.16
                write(left, top, entry.text, _LEGEND_FONT, INK if entry.colour else QUIET)
            top += _LEGEND_LINE
        for number, note in enumerate(reversed(self.notes)):
            write(_MARGIN, height - 0.1 - _NOTE_LINE * number, note, _NOTE_FONT, QUIET)

    @property
    def _is_tall(self) -> bool:
        return self.page.height > _TALL

    @property
    def _axis_height(self) -> float:
        return _AXIS + _SECOND_LINE * any(tick.context for tick in self.ticks)

    def _draw_axis(self, axes: Axes) -> None:
        """The time axis, also at the top of a tall picture."""
        has_context = any(tick.context for tick in self.ticks)
        places = [(tick.time - self.start) * self.shapes.scale for tick in self.ticks]
        labels = [f"{tick.label}\n{tick.context}" if has_context else tick.label for tick in self.ticks]
        axes.set_xticks(places, labels)
        axes.set_yticks([])
        axes.tick_params(axis="x", length=3, color=FAINT, labelcolor=INK, labelsize=_AXIS_FONT, pad=3)
        if self._is_tall:
            axes.tick_params(axis="x", top=True, labeltop=True)
        axes.grid(axis="x", color=FAINT, linewidth=0.8, zorder=1)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color("#adb5bd")

    def _draw_lanes(self, axes: Axes) -> None:
        bands = [
            (-self.margin + 0.06, group.top, _WIDTH + _RIGHT - 0.06, group.top + group.height)
            for group in self.page.groups[::2]
        ]
        _fill(axes, bands, BAND, order=0)
        for group in self.page.groups:
            self._label(axes, group)
        for (is_narrow, colour), rectangles in self.shapes.rectangles.items():
            _fill(axes, rectangles, colour, order=5 if is_narrow else 3)
        _fill(axes, self.shapes.edges, INK, order=4)
        for colour, arrows in self.shapes.arrows.items():
            _fill_polygons(axes, arrows, colour, order=3)
        self._draw_marks(axes)
        if self.column and self.page.groups:
            left = -self.margin + _MARGIN if self.page.has_labels else -_MARGIN
            side = "left" if self.page.has_labels else "right"
            # At the top of a tall page, the labels of the axis reach over the headings.
            above = self._axis_height + _COLUMN / 3 if self._is_tall else _COLUMN
            axes.text(left, -above, printable(self.column), ha=side, va="center", color=QUIET, fontsize=_NOTE_FONT)
        if not self.page.groups:
            axes.text(_WIDTH / 2, self.page.height / 2, "nothing holds or occurs", ha="center", va="center", color=INK)

    def _draw_marks(self, axes: Axes) -> None:
        """The values in the bars, and the events."""
        for value in self.shapes.texts:
            axes.text(
                value.left,
                value.middle,
                value.text,
                color=value.colour,
                fontsize=VALUE_FONT,
                va="center_baseline",
                zorder=6,
            )
        size = 6.5 * min(1, self.page.lane_height / 0.2)
        for colour, places in self.shapes.diamonds.items():
            axes.plot(
                *zip(*places, strict=True),
                linestyle="none",
                marker="D",
                markersize=size,
                markeredgewidth=0.8 * size / 6.5,
                color=colour,
                markeredgecolor="white",
                clip_on=False,
                zorder=6,
            )

    def _label(self, axes: Axes, group: PlacedGroup) -> None:
        """The heading of a group at the left, the labels of its lanes beside the chart."""
        lanes: Sequence[PlacedLane] = group.lanes
        for placed in lanes if self.page.has_labels else ():
            axes.text(
                -_MARGIN,
                placed.middle,
                "\n".join(placed.label),
                ha="right",
                va="center",
                color=INK,
                fontsize=self.page.font,
            )
        if group.heading:
            middle = lanes[0].middle if self.page.has_labels else group.top + group.height / 2
            left = -self.margin + _MARGIN if self.page.has_labels else -_MARGIN
            axes.text(
                left,
                middle,
                printable(group.heading),
                ha="left" if self.page.has_labels else "right",
                va="center",
                color=INK,
                fontsize=self.page.font,
                fontweight="bold" if self.page.has_labels else "normal",
            )


def _fill(axes: Axes, rectangles: Sequence[Rectangle], colour: str, order: int) -> None:
    """Draw rectangles of one colour as one path."""
    corners = [[(left, top), (right, top), (right, bottom), (left, bottom)] for left, top, right, bottom in rectangles]
    _fill_polygons(axes, corners, colour, order)


def _fill_polygons(axes: Axes, polygons: Sequence[Sequence[tuple[float, float]]], colour: str, order: int) -> None:
    """Draw polygons of one colour as one path. `add_artist` does not compute limits of the axes, which is slow."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    if not polygons:
        return
    corners = [corner for polygon in polygons for corner in (*polygon, polygon[0])]
    codes = [
        code
        for polygon in polygons
        for code in (Outline.MOVETO, *[Outline.LINETO] * (len(polygon) - 1), Outline.CLOSEPOLY)
    ]
    outline = PathPatch(Outline(corners, codes), facecolor=colour, edgecolor="none", linewidth=0, zorder=order)
    axes.add_artist(outline)
    outline.set_clip_on(False)


def _wrapped(notes: Sequence[str], width: float) -> list[str]:
    """The notes, joined in lines that fit."""
    lines: list[str] = []
    for note in notes:
        joined = f"{lines[-1]} · {note}" if lines else note
        if lines and text_width(joined, _NOTE_FONT) <= width:
            lines[-1] = joined
        else:
            lines.append(note)
    return lines
