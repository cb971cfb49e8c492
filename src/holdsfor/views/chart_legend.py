"""The legend of a timeline: the colours and marks that no label explains, in lines that fit the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.errors import printable
from holdsfor.views.labels import natural_order
from holdsfor.views.palette import INK, Palette
from holdsfor.views.timeline_layout import Layout, text_width

__all__ = ["Entry", "legend", "legend_lines"]

_MOST_VALUES = 12
_SWATCH, _GAP = 0.17, 0.18


@dataclass(frozen=True)
class Entry:
    """A symbol in a colour, and its meaning; a remark has no colour."""

    text: str
    colour: str | None = None
    symbol: str = "■"


def legend(page: Layout, palette: Palette, named: set[tuple[str, str | None]], *, has_starts: bool) -> list[Entry]:
    """The fluents of lanes without labels, the values that are in no bar and in no label, and the mark of starts."""
    entries: list[Entry] = []
    lanes = [placed.lane for placed in page.lanes]
    for name in sorted(palette.values, key=natural_order):
        values = palette.values[name]
        shown = [lane for lane in lanes if lane.rows[0].name == name]
        present = {row.value for lane in shown for row in lane.rows}
        in_labels = {lane.rows[0].value for lane in shown if len(lane.rows) == 1} if page.has_labels else set()
        unnamed = [v for v in values if v in present - in_labels and (name, v) not in named]
        if page.has_labels and len(values) == 1:
            continue
        for value in unnamed[:_MOST_VALUES]:
            text = name if values in ([None], ["true"]) else f"{name}={value}"
            entries.append(Entry(printable(text), palette.colours[name, value]))
        if len(unnamed) > _MOST_VALUES:
            entries.append(Entry(f"and {len(unnamed) - _MOST_VALUES:,} more values of {printable(name)}"))
    return [*entries, Entry("start of an interval", INK, "▏")] if has_starts else entries


def legend_lines(entries: Sequence[Entry], width: float, font: float) -> list[list[tuple[float, Entry]]]:
    """The entries in lines of at most `width` inches, each with its distance from the left."""
    lines: list[list[tuple[float, Entry]]] = []
    at = width
    for entry in entries:
        needed = (_SWATCH if entry.colour else 0) + text_width(entry.text, font) + _GAP
        if at + needed > width or not lines:
            lines.append([])
            at = 0.0
        lines[-1].append((at, entry))
        at += needed
    return lines
