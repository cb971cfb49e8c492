"""The layout of a timeline: the height of every lane, the size of its text, and what the page leaves out.

Few lanes are as high as their text; the more there are, the lower they are, as long as the text can be read. A picture
grouped by entity goes further: only entities have labels, and colours name the fluents. If that does not suffice, the
page has the lanes that hold longest: of every fluent, or of the entities with the longest total. Lengths are inches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdsfor.views.labels import columns, wrapped
from holdsfor.views.lanes import Group, Lane
from holdsfor.views.timeline_rows import bars, visible_times

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
    has_headings: bool

    @property
    def lanes(self) -> Iterator[PlacedLane]:
        return (lane for group in self.groups for lane in group.lanes)

    @property
    def left_out(self) -> str:
        """How many lanes are left out, and which."""
        which = "those of the entities with" if self.has_headings else "in each fluent, those with"
        return f"{self.n_left_out:,} of {self.n_lanes:,} rows, {which} the shortest total duration"


def layout(groups: Sequence[Group], start: int, end: int) -> Layout:
    """The groups in the order given, as many of their lanes as the page holds; lanes that hold longest come first.

    >>> from holdsfor.views.timeline_rows import Row
    >>> lanes = [Lane(f"f({n})", (Row("f", (str(n),), "true", [(0, n)]),)) for n in range(2000)]
    >>> page = layout([Group("", tuple(lanes))], 0, 5000)
    >>> page.n_lanes, page.n_left_out, page.font, next(page.lanes).label
    (2000, 1424, 5.8, ['f(1424)'])
    """
    n_lanes = sum(len(group.lanes) for group in groups)
    has_headings = any(group.heading for group in groups)
    height = min(_LANE, _LANE * _ROOMY_LANES / max(1, n_lanes))
    has_labels = not has_headings or height >= _LOWEST_LANE
    height = max(height, _LOWEST_LANE) if has_labels else _strip(len(groups), n_lanes)
    font = min(_FONT, max(_SMALLEST_FONT, height * 72 * 0.7)) if has_labels else _SMALLEST_FONT
    gap = min(0.1, 0.35 * height)
    lowest = _LOWEST_HEADING if has_headings else 0.0
    kept: list[dict[int, tuple[list[str], float]]] = [{} for _ in groups]
    heights, page = [0.0] * len(groups), 0.0
    for place, number in _ranked(groups, start, end, has_headings=has_headings):
        label = wrapped(groups[place].lanes[number].label, _LABEL_COLUMNS) if has_labels else []
        needed = max(height, len(label) * font * 1.3 / 72 + 0.02)
        before = max(heights[place], lowest) if kept[place] else 0.0
        heights[place] = (heights[place] or gap) + needed
        page += max(heights[place], lowest) - before
        if page > _PAGE:
            if has_headings and sum(map(bool, kept)) > 1:
                kept[place].clear()  # no entity is drawn in part
            break
        kept[place][number] = label, needed
    placed: list[PlacedGroup] = []
    top = 0.0
    for group, lanes in zip(groups, kept, strict=True):
        if lanes:
            placed.append(_place(group, {number: lanes[number] for number in sorted(lanes)}, top, gap, lowest))
            top += placed[-1].height
    n_drawn = sum(map(len, kept))
    return Layout(placed, max(_LANE, top), height, font, n_lanes, n_lanes - n_drawn, has_labels, has_headings)


def _ranked(groups: Sequence[Group], start: int, end: int, *, has_headings: bool) -> list[tuple[int, int]]:
    """The lanes by the numbers of their group and in it, first those that the page must have.

    Of entities, those with the longest total come first, each with all its lanes. Fluents take turns, each with its
    longest lane that is left: otherwise a fluent of short intervals would not be seen.
    """
    totals = [[_duration(lane, start, end) for lane in group.lanes] for group in groups]
    ranks = [sorted(range(len(each)), key=each.__getitem__, reverse=True) for each in totals]
    if has_headings:
        order = sorted(range(len(groups)), key=lambda place: -sum(totals[place]))
        return [(place, number) for place in order for number in ranks[place]]
    turns = sorted((turn, place) for place, each in enumerate(ranks) for turn in range(len(each)))
    return [(place, ranks[place][turn]) for turn, place in turns]


def _duration(lane: Lane, start: int, end: int) -> int:
    """The visible time-points of the intervals and events of a lane."""
    held = sum(bar.end - bar.start for row in lane.rows for bar in bars(row, start, end))
    return held + sum(len(visible_times(row, start, end - 1)) for row in lane.rows)


def _strip(n_groups: int, n_lanes: int) -> float:
    """The height of a lane without a label: low enough for `_ENTITIES` on a page, if that is not too low."""
    per_group = n_lanes / n_groups + 0.35  # with the gap
    return max(_LOWEST_STRIP, min(_STRIP, _PAGE / min(n_groups, _ENTITIES) / per_group))


def _place(
    group: Group, lanes: Mapping[int, tuple[list[str], float]], top: float, gap: float, lowest: float
) -> PlacedGroup:
    """Some lanes of a group, each with its label and height, centred if the group has to be higher than they are."""
    total = gap + sum(height for _, height in lanes.values())
    at = top + (max(total, lowest) - total) / 2 + gap / 2
    placed = []
    for number, (label, height) in lanes.items():
        placed.append(PlacedLane(group.lanes[number], label, at, height))
        at += height
    return PlacedGroup(group.heading, placed, top, max(total, lowest))


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
