"""Lines of a plan as aligned text, preceded by the counts of a profile if there is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from holdsfor.physical.profile import Profile, Tally

__all__ = ["Place", "PlanLine", "laid_out"]

Place: TypeAlias = Hashable | Tally | None
_WIDTHS = (9, 8, 10, 10)
_TITLES = ("ms", "calls", "rows in", "rows out")
_LEGEND = "×N: rows multiply. The operator returns N rows for each row that it takes."


@dataclass(frozen=True)
class PlanLine:
    """A relation with the cells that describe it, or a heading: one cell, no name."""

    depth: int
    name: str
    cells: tuple[str, ...]
    place: Place = None


def laid_out(lines: Sequence[PlanLine], profile: Profile | None = None) -> str:
    """The text; cells of neighbouring relations are aligned."""
    texts = [text for _, block in groupby(lines, key=lambda line: bool(line.name)) for text in _aligned(list(block))]
    if profile is not None:
        texts = _with_counts(lines, texts, profile)
    return "".join(f"{text.rstrip()}\n" for text in texts)


def _with_counts(lines: Sequence[PlanLine], texts: Sequence[str], profile: Profile) -> list[str]:
    """The texts after their counts. Operators whose rows multiply have a sign, with its legend at the end."""
    counts = [_counted(profile, line.place) for line in lines]
    signs = [_sign(profile, line.place) for line in lines]
    width = max(map(len, signs))
    shown = [f"{c}{sign.rjust(width)}  {text}" for c, sign, text in zip(counts, signs, texts, strict=True)]
    return [_columns(_TITLES), *shown, *(["", _LEGEND] if width else [])]


def _sign(profile: Profile, place: Place) -> str:
    if place is None or isinstance(place, Tally) or (isinstance(place, tuple) and place[0] != "ground"):
        return ""
    factor = profile.of(place).factor
    return "" if factor is None else f" ×{factor:,.0f}"


def _aligned(block: Sequence[PlanLine]) -> Iterator[str]:
    if not block[0].name:
        yield from ("  " * line.depth + line.cells[0] for line in block)
        return
    names = ["  " * line.depth + line.name for line in block]
    used = [i for i in range(len(block[0].cells)) if any(line.cells[i] for line in block)]
    columns = [names, *([line.cells[i] for line in block] for i in used)]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))


def _counted(profile: Profile, place: Place) -> str:
    if place is None:
        return _columns(("", "", "", ""))
    if isinstance(place, Tally):
        return _columns((_milliseconds(place), "", "", ""))
    tally = profile.of(place)
    is_whole = isinstance(place, tuple) and place[0] == "component"
    rows = ("", "") if is_whole else (f"{tally.rows_in:,}", f"{tally.rows_out:,}")
    return _columns((_milliseconds(tally), f"{tally.calls:,}", *rows))


def _milliseconds(tally: Tally) -> str:
    return f"{tally.seconds * 1000:,.2f}"


def _columns(cells: Sequence[str]) -> str:
    return " ".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
