"""The bars and marks of the lanes of a timeline, as rectangles and texts, before anything is drawn.

Wide bars come first and narrow ones above them, so that a short interval stays visible between longer ones. Lengths are
inches, from the top left of the chart.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from holdsfor.errors import printable
from holdsfor.views.palette import INK, Palette, is_dark
from holdsfor.views.thinning import Piece, thinned_bars, thinned_times
from holdsfor.views.timeline_layout import PlacedLane, text_width
from holdsfor.views.timeline_rows import Row, bars, visible_times

__all__ = ["VALUE_FONT", "LaneShapes", "Rectangle", "ValueText"]

Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom."""

VALUE_FONT = 8.0
_SHARE = 0.64  # of the height of a lane
_LANE_FOR_VALUES = 0.2
_EDGE, _ROOM_FOR_EDGE = 0.012, 0.06
_LANE_FOR_EDGES = 0.1
_ARROW = 0.7  # of the height of the bar
_ROOM_FOR_MARK = 0.07


@dataclass(frozen=True)
class ValueText:
    """The value of a fluent, written in its bar."""

    left: float
    middle: float
    text: str
    colour: str


@dataclass
class LaneShapes:
    """The shapes of all lanes of a page that covers the times from `start` up to `end`.

    `pixel` is the width of the narrowest shape. `named` has the values whose names are in some bar, and `crowded` has
    the events that are drawn as lines.
    """

    start: int
    end: int
    width: float
    pixel: float
    palette: Palette
    rectangles: dict[tuple[bool, str], list[Rectangle]] = field(default_factory=lambda: defaultdict(list))
    edges: list[Rectangle] = field(default_factory=list)
    arrows: dict[str, list[list[tuple[float, float]]]] = field(default_factory=lambda: defaultdict(list))
    diamonds: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    texts: list[ValueText] = field(default_factory=list)
    named: set[tuple[str, str | None]] = field(default_factory=set)
    crowded: set[str] = field(default_factory=set)
    n_merged: int = 0
    n_widened: int = 0
    n_hidden_events: int = 0

    @property
    def scale(self) -> float:
        """Inches per time-point."""
        return self.width / (self.end - self.start)

    @property
    def shortest(self) -> float:
        """The time-points of the narrowest shape."""
        return self.pixel / self.scale

    def add(self, placed: PlacedLane) -> None:
        """Add the shapes of a lane."""
        for number, row in enumerate(placed.lane.rows):
            self._add_bars(placed, row, number)
            self._add_marks(placed, row)

    def note_crowded(self, placed: PlacedLane) -> None:
        """Note the events that have no room for diamonds in a lane, so that all their lanes have lines."""
        for row in placed.lane.rows:
            places = self._places(row)
            if row.kind == "input" or any(right - left < _ROOM_FOR_MARK for left, right in pairwise(places)):
                self.crowded.add(row.name)

    def _places(self, row: Row) -> list[float]:
        times = thinned_times(visible_times(row, self.start, self.end - 1), self.shortest)
        return [(time - self.start) * self.scale for time in times]

    def _add_bars(self, placed: PlacedLane, row: Row, number: int) -> None:
        visible = bars(row, self.start, self.end)
        if not visible:
            return
        colour = self.palette.colour(row)
        top, bottom = self._extent(placed)
        if visible[-1].continues:
            tip = (self.width + (bottom - top) * _ARROW, placed.middle)
            self.arrows[colour].append([(self.width, top), tip, (self.width, bottom)])
        if visible[0].began_before:
            tip = (-(bottom - top) * _ARROW / 2, placed.middle)
            self.arrows[colour].append([(0, top), tip, (0, bottom)])
        pieces = thinned_bars(visible, self.shortest)
        began = {bar.start for bar in visible if not bar.began_before}
        for piece in pieces:
            self._add_piece(placed, row, number, piece, has_edge=piece.start in began)
        self.n_widened += sum(bar.end - bar.start < self.shortest for bar in visible)

    def _add_piece(self, placed: PlacedLane, row: Row, number: int, piece: Piece, *, has_edge: bool) -> None:
        colour = self.palette.colour(row)
        top, bottom = self._extent(placed)
        left = (piece.start - self.start) * self.scale
        right = min((piece.end - self.start) * self.scale, self.width + self.pixel)
        if piece.n > 1:
            top, bottom = _slot(top, bottom, number, len(placed.lane.rows))
            self.n_merged += piece.n
        is_narrow = piece.n > 1 or right - left < 3 * self.pixel
        self.rectangles[is_narrow, colour].append((left, top, right, bottom))
        if has_edge and piece.n == 1 and right - left >= _ROOM_FOR_EDGE and placed.height >= _LANE_FOR_EDGES:
            self.edges.append((left, top, left + _EDGE, bottom))
        if piece.n == 1:
            self._name_value(placed, row, left, right, colour)

    def _name_value(self, placed: PlacedLane, row: Row, left: float, right: float, colour: str) -> None:
        """Write the value into a bar with room for it, unless the label of the lane has the value."""
        if row.value is None or placed.height < _LANE_FOR_VALUES or len(placed.lane.rows) == 1:
            return
        text = printable(row.value)
        if right - left > text_width(text, VALUE_FONT) + 0.14:
            ink = "#ffffff" if is_dark(colour) else INK
            self.texts.append(ValueText(left + 0.07, placed.middle, text, ink))
            self.named.add((row.name, row.value))

    def _add_marks(self, placed: PlacedLane, row: Row) -> None:
        """Diamonds if all lanes of the event have room for them, else lines."""
        colour = self.palette.colour(row)
        top, bottom = self._extent(placed)
        places = self._places(row)
        self.n_hidden_events += len(visible_times(row, self.start, self.end - 1)) - len(places)
        if row.name not in self.crowded:
            self.diamonds[colour] += [(place, placed.middle) for place in places]
        else:
            self.rectangles[True, colour] += [(place, top, place + self.pixel, bottom) for place in places]

    @staticmethod
    def _extent(placed: PlacedLane) -> tuple[float, float]:
        thick = min(placed.height, 0.3) * _SHARE
        return placed.middle - thick / 2, placed.middle + thick / 2


def _slot(top: float, bottom: float, number: int, n: int) -> tuple[float, float]:
    """The part of the height for the low bars of a value: each value of a lane has its own."""
    height = bottom - top
    if n == 1:
        return top + height / 4, bottom - height / 4
    return top + height * number / n, top + height * (number + 1) / n
