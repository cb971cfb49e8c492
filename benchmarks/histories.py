"""Histories of any size in Parquet files, generated once and piece by piece: `build/benchmarks/histories/<name>`.

Two of them are skewed. In `maritime-one` a tenth of all records are of one vessel. In `maritime-port` every vessel of a
large port is close to every other for some minutes, which makes very many encounters.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from streams import ROOT, rules_of
from timing import RESULTS

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled
from holdsfor.generators import Model, model_of, pieces, write_parquet
from holdsfor.generators.coded_records import CodedRecords

__all__ = ["History", "history"]

_PIECES_OF_A_FILE = 10
_SEED = 1
_ENTITIES = {"maritime": 5_000, "netbill": 2_000, "voting": 2_000}  # for a million records
_IN_PORT = 400


@dataclass(frozen=True)
class History:
    """Records of an application in a folder, with the rules for them."""

    app: str
    folder: Path
    n_records: int
    entities: int
    end: int

    @property
    def application(self) -> str:
        return self.app.partition("-")[0]

    @property
    def records(self) -> Path:
        return self.folder / "records"

    @property
    def prepared(self) -> Path:
        return self.folder / "prepared"

    def rules(self) -> Compiled:
        own = self.folder / "background.prolog"
        background = own if own.exists() else ROOT / "apps" / self.application / "background.prolog"
        return hf.load(*(path for path in rules_of(self.application) if path.stem != "manoeuvres"), background)


def history(app: str, n_records: int) -> History:
    """About `n_records` records of an application; entities and time grow alike."""
    folder = RESULTS / "histories" / f"{app}-{n_records}"
    described = folder / "history.json"
    if not described.exists():
        application, _, kind = app.partition("-")
        entities = max(10, round(_ENTITIES[application] * math.sqrt(n_records / 1e6)))
        model = model_of(application, entities=entities, seed=_SEED)
        duration = math.ceil(model.period * n_records / (model.n_units * model.rows_per_unit))
        n_made = _write(model, duration, folder)
        n_made += _skew(kind, folder / "records", duration)
        described.write_text(json.dumps([n_made, entities, duration]), encoding="utf-8")
    return History(app, folder, *json.loads(described.read_text(encoding="utf-8")))


def _write(model: Model, duration: int, folder: Path) -> int:
    (folder / "records").mkdir(parents=True, exist_ok=True)
    background = model.background()
    if background is not None:
        (folder / "background.prolog").write_text(background, encoding="utf-8")
    n_made = 0
    for number, part in enumerate(_parts(pieces(model, duration, seed=_SEED))):
        n_made += write_parquet(part, model.vocabulary, folder / "records" / f"part-{number:05}.parquet")
    return n_made


def _parts(made: Iterator[CodedRecords]) -> Iterator[Iterable[CodedRecords]]:
    for first in made:
        yield chain([first], islice(made, _PIECES_OF_A_FILE - 1))


def _skew(kind: str, folder: Path, duration: int) -> int:
    """Skew a history, and return the number of records added."""
    if kind == "one":
        for path in sorted(folder.iterdir()):
            pq.write_table(_of_one_vessel(pq.read_table(path)), path, compression="zstd")
    if kind == "port":
        met = _encounters(pq.read_table(sorted(folder.iterdir())[0]), duration // 2)
        pq.write_table(met, folder / "part-port.parquet", compression="zstd")
        return int(met.num_rows)
    return 0


def _of_one_vessel(table: Any) -> Any:
    """The table with a tenth of the events assigned to the first vessel."""
    first = _named(table, "arg1")
    vessels = table[first].cast(pa.string()).combine_chunks()
    is_taken = np.random.default_rng(_SEED).random(len(vessels)) < 0.1
    is_taken &= pc.not_equal(table["name"].cast(pa.string()), "proximity").to_numpy(zero_copy_only=False)
    changed = pc.if_else(pa.array(is_taken), pc.min(vessels), vessels).dictionary_encode()
    return table.set_column(table.schema.get_field_index(first), first, changed)


def _named(table: Any, column: str) -> str:
    """The table's name of a column of records, perhaps with its kind."""
    return next(str(name) for name in table.schema.names if name.split(":")[0] == column)


def _encounters(table: Any, start: int) -> Any:
    """Proximity of all pairs of the first vessels."""
    vessels = sorted(table[_named(table, "arg1")].cast(pa.string()).unique().to_pylist())[:_IN_PORT]
    one, other = np.triu_indices(len(vessels), 1)
    n, names = len(one), pa.array(vessels)
    columns = {
        "name": pa.array(["proximity"] * n),
        "arrival": pa.array(np.full(n, start + 600)),
        "start": pa.array(np.full(n, start)),
        "end": pa.array(np.full(n, start + 600)),
        _named(table, "value"): pa.array(["true"] * n),
        _named(table, "arg1"): names.take(pa.array(one)),
        _named(table, "arg2"): names.take(pa.array(other)),
    }
    missing = {name: pa.nulls(n, pa.string()) for name in table.schema.names if name not in columns}
    return pa.table({name: (columns | missing)[name] for name in table.schema.names})
