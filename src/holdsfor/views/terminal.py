"""The timeline as text: block characters, one line per row, and a legend of the other marks that occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdsfor.errors import printable
from holdsfor.views.labels import columns, padded, wrapped
from holdsfor.views.timeline_rows import Row, bars, grouped, tick_times, visible_times

__all__ = ["text_timeline"]

_FULL, _PARTLY, _GOES_ON, _EVENT, _EMPTY = "█", "▒", "▶", "◆", "·"
_NARROWEST_CHART = 20
_LEGEND = {_PARTLY: "for a part", _GOES_ON: "continues", _EVENT: "occurs"}


def text_timeline(
    rows: Sequence[Row],
    start: int,
    end: int,
    width: int = 100,
    time_format: Callable[[int], str] = str,
) -> str:
    """The rows drawn with block characters, `width` columns wide (more if the chart would not fit otherwise).

    A full block is a cell in which the fluent holds throughout, a shaded block a cell in which it holds for a part.

    >>> happy = Row("happy", value="true", intervals=[(2, 5), (8, None)])
    >>> print(text_timeline([happy, Row("alarm", times=[5], kind="event")], 0, 10, 34))
    happy=true │····██████······████▶
    alarm      │··········◆·········
               └┼─────────┼─────────┼
                0         5        10
                ▶ continues  ◆ occurs
    """
    if end < start:
        raise ValueError(f"a timeline cannot end at {end} and start at {start}")
    ordered = [row for group in grouped(rows) for row in group]
    widest = max((columns(printable(row.label)) for row in ordered), default=0)
    label_width = min(widest, max(width // 2, 1))
    scale = _Scale(start, end, max(_NARROWEST_CHART, width - label_width - 3))
    lines = []
    for row in ordered:
        labels = wrapped(row.label, label_width)
        lines.append(f"{padded(labels[0], label_width)} │{_cells(row, scale)}".rstrip())
        lines += [f"{padded(label, label_width)} │" for label in labels[1:]]
    margin = " " * (label_width + 1)
    legend = "  ".join(f"{mark} {meaning}" for mark, meaning in _LEGEND.items() if any(mark in each for each in lines))
    below = [*_axis(scale, time_format), *([f" {legend}"] if legend else [])]
    return "\n".join([*lines, *(f"{margin}{line}".rstrip() for line in below)])


class _Scale:
    """Time to cells: whole cells per time-point if the width suffices, otherwise several time-points per cell."""

    def __init__(self, start: int, end: int, room: int) -> None:
        self.start, self.end = start, end
        span = max(1, end - start)
        self._cells_per_point = max(1, room // span)
        self._points_per_cell = max(1, -(-span // room))
        self.n_cells = -(-span * self._cells_per_point // self._points_per_cell)

    def cell(self, time: int) -> int:
        return (time - self.start) * self._cells_per_point // self._points_per_cell

    def is_whole(self, time: int) -> bool:
        """Whether a cell begins exactly at `time`."""
        return (time - self.start) * self._cells_per_point % self._points_per_cell == 0


def _cells(row: Row, scale: _Scale) -> str:
    cells = [_EMPTY] * scale.n_cells + [" "]
    for bar in bars(row, scale.start, scale.end):
        first, last = scale.cell(bar.start), scale.cell(bar.end)
        if bar.end == scale.end:
            last = scale.n_cells
        elif not scale.is_whole(bar.end):
            cells[last] = _PARTLY
        cells[first:last] = _FULL * (last - first)
        if not scale.is_whole(bar.start):
            cells[first] = _PARTLY
        if bar.continues:
            cells[-1] = _GOES_ON
    for time in visible_times(row, scale.start, scale.end):
        cells[min(scale.cell(time), scale.n_cells)] = _EVENT
    return "".join(cells)


def _axis(scale: _Scale, time_format: Callable[[int], str]) -> list[str]:
    longest = max(columns(time_format(time)) for time in (scale.start, scale.end))
    line, labels = ["─"] * (scale.n_cells + 1), ""
    line.insert(0, "└")
    for time in tick_times(scale.start, scale.end, scale.n_cells // (longest + 2)):
        place = 1 + scale.cell(time)
        line[place] = "┼"
        text = time_format(time)
        labels = padded(labels, max(0, place - columns(text) // 2))
        labels += text if len(labels) <= place - columns(text) // 2 else ""
    return ["".join(line), labels]
