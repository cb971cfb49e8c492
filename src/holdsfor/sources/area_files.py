"""Areas of GeoJSON, WKT and GeoParquet as facts.

    areas.geojson                features with a property `name`, or an `id`
    areas.csv, areas.jsonl       columns `name` and `wkt`
    areas.parquet                columns `name` and `geometry` (WKB)

A name after a colon is that of another property or column: `areas.geojson: zone`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from holdsfor.columns.constant_columns import ConstantColumn
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.fact_tables import read_fact_table
from holdsfor.sources.formats import format_of_suffix
from holdsfor.sources.inputs import table_of_file, text_stream
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import FactTable
from holdsfor.syntax.terms import Atom, Constant, Float, Int

__all__ = ["read_areas", "split_areas"]

_BUFFER = 1 << 20
_HINT = (
    "areas are GeoJSON, a CSV file with columns `name` and `wkt`, or a GeoParquet file; `areas.geojson: zone` "
    "takes their names from the property `zone`"
)

_NAME = "name"


def split_areas(text: str) -> tuple[str, str]:
    """A file, and the property with the names of its areas; a file may have a colon in its name.

    >>> split_areas("areas.geojson: zone"), split_areas("areas.geojson")
    (('areas.geojson', 'zone'), ('areas.geojson', 'name'))
    """
    file, _, name = ("", "", "") if Path(text).exists() else text.rpartition(":")
    return (file.strip(), name.strip()) if file.strip() and name.strip().isidentifier() else (text, "name")


def read_areas(data: object, name: str = _NAME) -> FactTable:
    """The areas of a file, a GeoJSON object or a dictionary of geometries by name, as facts.

    A file may have the property with the names after a colon; another `name` is the property itself.

    >>> table = read_areas({"port": "POLYGON ((0 0, 1 0, 1 1, 0 0))"})
    >>> table.columns[0][0]
    Atom(name='port')
    """
    pairs = list(_pairs(data, name))
    if not pairs:
        raise DataProblem(Diagnostic("HF511", "there are no areas", hint=_HINT))
    symbols = Symbols()
    columns = zip(*((_constant(key), Atom(text)) for key, text in pairs), strict=True)
    return FactTable("$area", tuple(ConstantColumn(symbols.words(column), symbols) for column in columns))


def _pairs(data: object, name: str) -> Iterator[tuple[object, str]]:
    """The names and geometries of areas."""
    if isinstance(data, str | Path):
        yield from _pairs_of_file(*(split_areas(str(data)) if name == _NAME else (str(data), name)))
    elif isinstance(data, Mapping) and "type" in data:
        yield from _features(data, name, "GeoJSON")
    elif isinstance(data, Mapping):
        yield from ((key, _geometry(value, str(key))) for key, value in data.items())
    elif hasattr(data, "__geo_interface__"):
        yield from _features(data.__geo_interface__, name, type(data).__name__)
    else:
        message = f"expected a file, GeoJSON or geometries by name, found `{type(data).__name__}`"
        raise DataProblem(Diagnostic("HF511", message, hint=_HINT))


def _pairs_of_file(file: str, name: str) -> Iterator[tuple[object, str]]:
    if file.endswith((".geojson", ".json")):
        try:
            with text_stream(file) as stream:
                content = json.loads(b"".join(iter(partial(stream.read, _BUFFER), b"")))
        except (ValueError, RecursionError) as error:
            reason = error if isinstance(error, ValueError) else "brackets are nested too deeply"
            raise DataProblem(Diagnostic("HF511", f"`{file}` is not JSON: {reason}", hint=_HINT, file=file)) from None
        yield from _features(content, name, file)
    elif format_of_suffix(file) == "parquet":
        table = table_of_file(file, "parquet")
        missing = [column for column in (name, "geometry") if column not in table.column_names]
        if missing:
            message = f"column `{missing[0]}` not found in `{file}`"
            raise DataProblem(Diagnostic("HF511", message, hint=_HINT, file=file))
        for key, geometry in zip(table[name].to_pylist(), table["geometry"].to_pylist(), strict=True):
            yield key, geometry.hex() if isinstance(geometry, bytes) else _geometry(geometry, str(key))
    else:
        facts = read_fact_table(file, f"area({show(Atom(name))}, wkt:text)").table
        names, texts = facts.columns
        yield from zip(names, (text.name for text in texts if isinstance(text, Atom)), strict=True)


def _features(content: Any, name: str, file: str) -> Iterator[tuple[object, str]]:
    features = content.get("features") if isinstance(content, Mapping) else None
    if isinstance(content, Mapping) and content.get("type") == "Feature":
        features = [content]
    if not isinstance(features, list):
        raise DataProblem(Diagnostic("HF511", f"`{file}` has no features", hint=_HINT, file=file))
    for number, feature in enumerate(features, start=1):
        properties = feature.get("properties") or {}
        key = properties.get(name, feature.get("id") if name == _NAME else None)
        if key is None:
            message = f"feature {number} of `{file}` has no property `{name}`"
            known = ", ".join(f"`{each}`" for each in properties)
            hint = f"its properties are {known}: write `{file}: {next(iter(properties))}`" if known else "it has none"
            raise DataProblem(Diagnostic("HF511", message, hint=hint, file=file))
        yield key, json.dumps(feature["geometry"])


def _geometry(value: Any, name: str) -> str:
    """A geometry as text: WKT, or GeoJSON for a dictionary and an object of shapely."""
    if isinstance(value, str):
        return value
    if hasattr(value, "__geo_interface__"):
        return json.dumps(value.__geo_interface__)
    if isinstance(value, Mapping):
        return json.dumps(value)
    message = f"expected a geometry as the area `{name}`, found `{type(value).__name__}`"
    raise DataProblem(Diagnostic("HF511", message, hint=_HINT))


def _constant(key: object) -> Constant:
    if isinstance(key, Atom | Int | Float):
        return key
    if isinstance(key, float):
        return Float(key)
    return Int(key) if isinstance(key, int) and not isinstance(key, bool) else Atom(str(key))
