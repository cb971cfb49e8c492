"""Areas on the map, for `in_area` and `near_area`.

A position is a latitude and a longitude in degrees. Areas are polygons, lines or points with coordinates (longitude,
latitude), read by shapely. A position on the boundary of an area is in the area. The distance of a position to an area
is measured on a plane: degrees of longitude are shortened by the cosine of the latitude in the middle of the area, and
a degree of latitude has `METRES_PER_DEGREE`. Areas across the 180th meridian must be divided there.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from holdsfor.errors import Hint
from holdsfor.prolog.database import Database
from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.terms import Atom, Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AREA", "EARTH_RADIUS", "METRES_PER_DEGREE", "Areas", "areas_of", "haversine"]

AREA = ("$area", 2)
"""The predicate of areas: a name, and a geometry as GeoJSON, WKT or WKB in hexadecimal digits."""

EARTH_RADIUS = 6_371_008.8
"""The mean radius of the Earth, in metres."""

METRES_PER_DEGREE = EARTH_RADIUS * math.pi / 180


def haversine(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """The distance of two positions on a sphere, in metres.

    >>> round(haversine(48.0, -5.0, 49.0, -5.0), 3) == round(METRES_PER_DEGREE, 3)
    True
    """
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    half_lat, half_lon = math.radians(lat2 - lat1) / 2, math.radians(lon2 - lon1) / 2
    a = math.sin(half_lat) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin(half_lon) ** 2
    return 2 * EARTH_RADIUS * math.asin(min(1.0, math.sqrt(a)))


_KNOWN: WeakKeyDictionary[Database, Areas] = WeakKeyDictionary()


def areas_of(database: Database) -> Areas:
    """The areas of the background knowledge; a `GoalProblem` if there are none."""
    found = _KNOWN.get(database)
    if found is None:
        names, texts = database.fact_columns(*AREA)
        if not len(names):
            hint = Hint('give `rules.with_areas("areas.geojson")`', on_command_line="give `--areas areas.geojson`")
            raise GoalProblem("HF613", "there are no areas", hint)
        found = _KNOWN[database] = Areas(list(names), [text.name for text in texts if isinstance(text, Atom)])
    return found


class Areas:
    """Areas with their names, and the positions in or near them."""

    def __init__(self, names: list[Term], texts: list[str]) -> None:
        self.names = names
        self._texts = texts

    @cached_property
    def _shapely(self) -> Any:
        try:
            import shapely
        except ImportError:
            hint = "pip install 'holdsfor[geo]'"
            raise GoalProblem("HF613", "areas need the package `shapely`, which is not installed", hint) from None
        return shapely

    @cached_property
    def shapes(self) -> list[Any]:
        """The geometries, prepared."""
        shapes = [self._shape(text) for text in self._texts]
        self._shapely.prepare(shapes)
        return shapes

    def _shape(self, text: str) -> Any:
        try:
            if text.startswith("{"):
                return self._shapely.from_geojson(text)
            is_wkb = text[:2] in ("00", "01")
            return self._shapely.from_wkb(bytes.fromhex(text)) if is_wkb else self._shapely.from_wkt(text)
        except (self._shapely.errors.ShapelyError, ValueError) as error:
            message = f"`{text[:60]}` is not a geometry: {str(error).splitlines()[0].lower()}"
            raise GoalProblem("HF613", message) from None

    @cached_property
    def scaled(self) -> list[tuple[Any, float]]:
        """The geometries with shortened degrees of longitude, and the factor of each."""
        found = []
        for shape in self.shapes:
            _, south, _, north = shape.bounds
            factor = math.cos(math.radians((south + north) / 2))
            plane = self._shapely.transform(shape, lambda xy, factor=factor: xy * [factor, 1.0])
            self._shapely.prepare(plane)
            found.append((plane, factor))
        return found

    def containing(
        self, lats: NDArray[np.float64], lons: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of positions and areas such that the position is in the area. O(n log n) and the pairs."""
        return self._pairs(lats, lons, None)

    def near(
        self, lats: NDArray[np.float64], lons: NDArray[np.float64], metres: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of positions and areas that are at most some metres apart."""
        return self._pairs(lats, lons, metres)

    def _pairs(self, lats: Any, lons: Any, metres: Any) -> tuple[Any, Any]:
        import numpy as np

        order = np.argsort(lats, kind="stable")
        ordered = lats[order]
        rows, areas = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for number in range(len(self.names)):
            found = self._in_one(number, lats, lons, metres, order, ordered)
            rows.append(found)
            areas.append(np.full(len(found), number, np.int64))
        row, area = np.concatenate(rows), np.concatenate(areas)
        by_row = np.lexsort((area, row))
        return row[by_row], area[by_row]

    def _in_one(self, number: int, lats: Any, lons: Any, metres: Any, order: Any, ordered: Any) -> Any:
        """The positions in or near one area: first by its bounds, then exactly."""
        import numpy as np

        west, south, east, north = self.shapes[number].bounds
        farthest = 0.0 if metres is None else float(np.fmax.reduce(metres, initial=0.0)) / METRES_PER_DEGREE
        plane, factor = (self.shapes[number], 1.0) if metres is None else self.scaled[number]
        margin = farthest / factor if factor > 0 else 360.0
        slack = 1e-9 * (metres is not None)
        first = np.searchsorted(ordered, south - farthest - slack, side="left")
        last = np.searchsorted(ordered, north + farthest + slack, side="right")
        some = order[first:last]
        some = some[(lons[some] >= west - margin - slack) & (lons[some] <= east + margin + slack)]
        if metres is None:
            return some[self._shapely.intersects_xy(plane, lons[some], lats[some])]
        points = self._shapely.points(lons[some] * factor, lats[some])
        return some[self._shapely.dwithin(plane, points, metres[some] / METRES_PER_DEGREE)]
