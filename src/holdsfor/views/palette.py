"""The colours of a timeline: a colour for each fluent-value pair and event, the same in all their lanes.

The values of a fluent share a lane, so they always have different colours. Fluents have different colours as long as
there are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.views.labels import natural_order
from holdsfor.views.timeline_rows import Row, grouped

__all__ = ["BAND", "FAINT", "HUES", "INK", "QUIET", "Palette", "is_dark", "mixed", "palette"]

HUES = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6c00d9", "#8c3a2a"),
    *("#f2ce85", "#332288", "#ba49f2", "#49f2ba", "#b21e00", "#385766", "#b2a562", "#9df249"),
)
"""Colours of Okabe and Ito, then others as far from all before them as possible, with every kind of colour vision."""

_INPUT = "#868e96"
INK, QUIET, FAINT, BAND = "#212529", "#5c636a", "#dee2e6", "#f6f7f9"


@dataclass(frozen=True)
class Palette:
    """The colour of every fluent-value pair and event, and the values of each fluent in the order of the legend."""

    colours: dict[tuple[str, str | None], str]
    values: dict[str, list[str | None]]

    def colour(self, row: Row) -> str:
        return self.colours[row.name, row.value]


def palette(rows: Sequence[Row]) -> Palette:
    """The colours of the rows; input with one value is grey.

    If there are more pairs and events than colours, colours are repeated, in one fluent with lighter shades.

    >>> palette([Row("up", value="true"), Row("at", value="pub"), Row("at", value="home")]).colours
    {('up', 'true'): '#0072b2', ('at', 'home'): '#d55e00', ('at', 'pub'): '#009e73'}
    """
    known = {(group[0].kind, group[0].name): _ordered(group) for group in grouped(rows)}
    coloured = {each: values for each, values in known.items() if each[0] != "input" or len(values) > 1}
    colours: dict[tuple[str, str | None], str] = {}
    first = 0
    for (kind, name), values in known.items():
        for place, value in enumerate(values):
            hue = HUES[(first + place) % len(HUES)] if (kind, name) in coloured else _INPUT
            colours[name, value] = mixed(hue, "#ffffff", 0.6 * (place // len(HUES)) / (1 + len(values) // len(HUES)))
        if (kind, name) in coloured:
            first += len(values)
    together: dict[str, list[str | None]] = {}
    for (_, name), values in known.items():
        together.setdefault(name, []).extend(values)
    return Palette(colours, together)


def _ordered(group: Sequence[Row]) -> list[str | None]:
    """The values of a fluent: numbers in their order, then texts in theirs."""
    return sorted(dict.fromkeys(row.value for row in group), key=lambda value: natural_order(value or ""))


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in pairs)


def is_dark(colour: str) -> bool:
    """Whether white text is readable on the colour."""
    red, green, blue = _channels(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 150


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
