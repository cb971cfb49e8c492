"""The layout of a timeline: the height of every lane, the size of its text, and what the page leaves out.

Few lanes are as high as their text; the more there are, the lower they are, as long as the text can be read. A picture
grouped by entity goes further: only entities have labels, and colours name the fluents. Lengths are inches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdsfor.views.labels import columns, wrapped
from holdsfor.views.lanes import Group, Lane

__all__ = ["Layout", "PlacedGroup", "PlacedLane", "layout", "text_width"]

_PAGE = 72.0
_ENTITIES = 500
_ROOMY_LANES = 60
_LANE, _LOWEST_LANE, _LOWEST_HEADING = 0.30, 0.105, 0.105
_STRIP, _LOWEST_STRIP = 0.09, 0.03  # a lane without a label
_SMALLEST_FONT, _FONT = 5.8, 9.5
_LABEL_COLUMNS = 56


@dataclass(frozen=True)
class PlacedLane:
    """A lane with its label in lines, from `top` downwards."""

    lane: Lane
    label: list[str]
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True)
class PlacedGroup:
    """A group with its lanes, from `top` downwards."""

    heading: str
    lanes: list[PlacedLane]
    top: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The groups of a page, and the number of lanes that it leaves out."""

    groups: list[PlacedGroup]
    height: float
    lane_height: float
    font: float
    n_lanes: int
    n_left_out: int
    has_labels: bool

    @property
    def lanes(self) -> Iterator[PlacedLane]:
        return (lane for group in self.groups for lane in group.lanes)


def layout(groups: Sequence[Group]) -> Layout:
    """The groups in the order given, as many as the page holds; the last one may be cut between two lanes.

    >>> from holdsfor.views.timeline_rows import Row
    >>> page = layout([Group("", tuple(Lane(f"f({n})", (Row("f", (str(n),), "true"),)) for n in range(2000)))])
    >>> page.n_lanes, page.n_left_out, page.font
    (2000, 1424, 5.8)
    """
    n_lanes = sum(len(group.lanes) for group in groups)
    has_headings = any(group.heading for group in groups)
    height = min(_LANE, _LANE * _ROOMY_LANES / max(1, n_lanes))
    has_labels = not has_headings or height >= _LOWEST_LANE
    height = max(height, _LOWEST_LANE) if has_labels else _strip(len(groups), n_lanes)
    font = min(_FONT, max(_SMALLEST_FONT, height * 72 * 0.7)) if has_labels else _SMALLEST_FONT
    gap = min(0.1, 0.35 * height)
    lowest = _LOWEST_HEADING if has_headings else 0.0
    placed: list[PlacedGroup] = []
    top = 0.0
    for group in groups:
        drawn = _place(group, top, height, gap, font if has_labels else 0.0, lowest)
        if drawn.lanes:
            placed.append(drawn)
            top += drawn.height
        if len(drawn.lanes) < len(group.lanes):
            break
    n_drawn = sum(len(group.lanes) for group in placed)
    return Layout(placed, max(_LANE, top), height, font, n_lanes, n_lanes - n_drawn, has_labels)


def _strip(n_groups: int, n_lanes: int) -> float:
    """The height of a lane without a label: low enough for `_ENTITIES` on a page, if that is not too low."""
    per_group = n_lanes / n_groups + 0.35  # with the gap
    return max(_LOWEST_STRIP, min(_STRIP, _PAGE / min(n_groups, _ENTITIES) / per_group))


def _place(group: Group, top: float, height: float, gap: float, font: float, lowest: float) -> PlacedGroup:
    """The lanes of a group that fit on the page, centred if the group has to be higher than they are."""
    places: list[tuple[Lane, list[str], float]] = []
    total = gap
    for lane in group.lanes:
        label = wrapped(lane.label, _LABEL_COLUMNS) if font else []
        needed = max(height, len(label) * font * 1.3 / 72 + 0.02)
        if top + total + needed > _PAGE:
            break
        places.append((lane, label, needed))
        total += needed
    at = top + (max(total, lowest) - total) / 2 + gap / 2
    lanes = []
    for lane, label, needed in places:
        lanes.append(PlacedLane(lane, label, at, needed))
        at += needed
    return PlacedGroup(group.heading, lanes, top, max(total, lowest))


def text_width(text: str, font: float) -> float:
    """The width of a line of text.

    The viewer of an SVG may choose another font. DejaVu Sans is wider than the usual choices; a character that it lacks
    counts as many columns as in a terminal.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    properties = FontProperties(family=["DejaVu Sans"], size=font)
    measured: float = text_to_path.get_text_width_height_descent(text, properties, ismath=False)[0]
    return max(measured, columns(text) * font / 2) / 72
