"""The colours of a timeline: a hue for each fluent, a shade for each of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.views.timeline_rows import Row, grouped

__all__ = ["BAND", "FAINT", "INK", "QUIET", "Palette", "is_dark", "mixed", "palette"]

# The colours of Okabe and Ito, distinguishable with every kind of colour vision, then darker ones.
_HUES = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f00"),
    *("#003f66", "#7a3600", "#005a42", "#7d3f63", "#855b00", "#20749f", "#4f3670", "#4a4a00"),
)
_INPUT = "#868e96"
INK, QUIET, FAINT, BAND = "#212529", "#5c636a", "#dee2e6", "#f6f7f9"


@dataclass(frozen=True)
class Palette:
    """The colour of every fluent-value pair and event, and the values of each fluent in the order of their shades."""

    colours: dict[tuple[str, str | None], str]
    values: dict[str, list[str | None]]

    def colour(self, row: Row) -> str:
        return self.colours[row.name, row.value]


def palette(rows: Sequence[Row]) -> Palette:
    """The colours of the rows: hues in the order of the fluents, shades from dark to light; `true` is dark.

    If there is a single fluent with few values, each value has a hue.

    >>> palette([Row("up", value="true"), Row("at", value="pub"), Row("at", value="home")]).colours
    {('up', 'true'): '#0072b2', ('at', 'pub'): '#d55e00', ('at', 'home'): '#ecb78c'}
    """
    colours: dict[tuple[str, str | None], str] = {}
    known: dict[str, list[str | None]] = {}
    hues = 0
    for group in grouped(rows):
        hue = _INPUT if group[0].kind == "input" else _HUES[hues % len(_HUES)]
        hues += group[0].kind != "input"
        values = sorted(dict.fromkeys(row.value for row in group), key=lambda value: value != "true")
        known.setdefault(group[0].name, []).extend(values)
        for place, value in enumerate(values):
            colours[group[0].name, value] = mixed(hue, "#ffffff", 0.55 * place / max(1, len(values) - 1))
    if len(colours) <= len(_HUES) and len(known) == 1 and hues and "true" not in next(iter(known.values())):
        colours = dict(zip(colours, _HUES, strict=False))
    return Palette(colours, known)


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
