"""Vessels near a harbour that report their positions, some of them late, and some of them wrong at first.

Six hours of two ferries, a tanker that waits for a berth, two vessels that meet at sea, and coasters that pass. Every
vessel reports every three minutes. A tenth of the records arrives up to forty minutes late. One in twenty has a wrong
speed at first; a retraction and the right record follow with one revision id.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import cos, hypot, radians
from pathlib import Path
from typing import Any

__all__ = ["COLUMNS", "END", "START", "STEP", "files", "write_file"]

COLUMNS = "happensAt(position(vessel, lat, lon, knots), ts), arrival(received), op(op), revision(revision)"
"""The columns of the records that rules and runs need."""

START = datetime(2026, 5, 4, 6, tzinfo=UTC)
END = START + timedelta(hours=6)
STEP = timedelta(minutes=15)

_EVERY = timedelta(minutes=3)
_LATE, _LONGEST_DELAY = 0.1, 40 * 60
_WRONG, _WRONG_KNOTS = 0.05, 24.0
_METRES_PER_DEGREE, _METRES_PER_MILE = 111_195.0, 1852.0

Waypoint = tuple[float, float, float]
"""Minutes since the start, latitude and longitude."""

_BERTH, _ENTRANCE, _SEA = (37.945, 23.615), (37.925, 23.570), (37.780, 23.480)

_ROUTES: dict[str, list[Waypoint]] = {
    "aurora": [(0, *_SEA), (45, *_ENTRANCE), (58, *_BERTH), (150, *_BERTH), (160, *_ENTRANCE), (380, 37.000, 23.100)],
    "iris": [(0, 37.300, 23.200), (140, *_ENTRANCE), (170, *_BERTH), (260, *_BERTH), (271, *_ENTRANCE), (380, *_SEA)],
    "tethys": [(0, 37.700, 23.400), (70, 37.880, 23.530), (230, 37.880, 23.530), (262, *_ENTRANCE), (380, *_BERTH)],
    "calypso": [(0, 37.950, 23.200), (100, 37.840, 23.390), (175, 37.840, 23.390), (380, 37.300, 23.700)],
    "delphi": [(0, 37.500, 23.200), (118, 37.841, 23.391), (166, 37.841, 23.391), (380, 37.950, 22.950)],
    "hermes": [(0, 37.600, 24.000), (250, 37.860, 23.450), (305, 37.860, 23.450), (380, 37.930, 23.250)],
    "nike": [(0, 37.900, 23.150), (120, 37.820, 23.450), (145, 37.820, 23.450), (380, 37.600, 23.980)],
}


def files(seed: int) -> Iterator[tuple[datetime, list[dict[str, Any]]]]:
    """The records by the end of the step in which they arrive, in the order of arrival."""
    chance = random.Random(seed)
    records = sorted(_records(chance), key=lambda record: record["received"])
    until = START + STEP
    while until <= END + STEP:
        yield until, [each for each in records if until - STEP <= datetime.fromisoformat(each["received"]) < until]
        until += STEP


def write_file(folder: Path, name: str, records: list[dict[str, Any]]) -> None:
    """Write records as JSON lines; the file appears in its folder when it is complete."""
    beside = folder / f".{name}"
    beside.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    beside.rename(folder / name)


def _records(chance: random.Random) -> Iterator[dict[str, Any]]:
    n_revisions = 0
    for vessel, route in _ROUTES.items():
        for at, lat, lon, knots in _track(route, chance):
            right = {"ts": at.isoformat(), "vessel": vessel, "lat": lat, "lon": lon, "knots": knots, "op": "+"}
            delay = chance.uniform(60, _LONGEST_DELAY) if chance.random() < _LATE else 0
            received = min(at + timedelta(seconds=round(delay)), max(at, END))
            if chance.random() >= _WRONG or received >= END:
                yield {**right, "received": received.isoformat(), "revision": None}
                continue
            n_revisions += 1
            wrong = {**right, "knots": _WRONG_KNOTS, "received": received.isoformat()}
            later = min(received + timedelta(seconds=chance.randint(300, _LONGEST_DELAY)), END).isoformat()
            yield {**wrong, "revision": None}
            yield {**wrong, "op": "-", "received": later, "revision": n_revisions}
            yield {**right, "received": later, "revision": n_revisions}


def _track(route: list[Waypoint], chance: random.Random) -> Iterator[tuple[datetime, float, float, float]]:
    """The positions and speeds of a vessel."""
    at = START + timedelta(seconds=chance.randrange(180))
    while at < END + STEP:
        minute = (at - START).total_seconds() / 60
        for (t1, lat1, lon1), (t2, lat2, lon2) in pairwise(route):
            if t1 <= minute < t2:
                share = (minute - t1) / (t2 - t1)
                knots = _knots((lat1, lon1), (lat2, lon2), t2 - t1)
                noise = chance.uniform(0.95, 1.05)
                lat, lon = lat1 + share * (lat2 - lat1), lon1 + share * (lon2 - lon1)
                yield at, round(lat, 5), round(lon, 5), round(knots * noise, 1)
        at += _EVERY


def _knots(one: tuple[float, float], other: tuple[float, float], minutes: float) -> float:
    north = (other[0] - one[0]) * _METRES_PER_DEGREE
    east = (other[1] - one[1]) * _METRES_PER_DEGREE * cos(radians(one[0]))
    return hypot(north, east) / _METRES_PER_MILE / (minutes / 60)
