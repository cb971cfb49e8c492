"""The kinds of constants in the records of a job as facts: from the workers that read records to the first stage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.parallel.exchange.facts import KINDS, Facts
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.place_kinds import PlaceKinds

__all__ = ["check_joins", "kind_facts"]


def kind_facts(input_reader: InputReader) -> Iterator[Facts]:
    """The kinds in the records of a reader; prepared history keeps them for other rules, so these are all places."""
    reading = input_reader.reading
    found = PlaceKinds().extended(reading.pieces, reading.typed, input_reader.symbols)
    if found.kinds:
        yield Facts(KINDS, "", 0, 1, texts={"text": pa.array([json.dumps(found.to_json())], pa.string())})


def check_joins(facts: Iterable[Facts], names: Names) -> None:
    """Refuse rules that join a column of text with numbers, given the kinds of all records of a job."""
    known = PlaceKinds()
    for each in facts:
        for written in each.texts["text"].to_pylist() if each.kind == KINDS else ():
            known = known.with_json(json.loads(written))
    known.check(names.joins)
