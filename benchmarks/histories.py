"""Histories of any size in Parquet files, made once and piece by piece: `build/benchmarks/histories/<name>`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from streams import ROOT, rules_of
from timing import RESULTS

import holdsfor as hf
from holdsfor.analysis.compiled import Compiled
from holdsfor.generators import Model, model_of, pieces, write_parquet
from holdsfor.generators.rows import Rows

__all__ = ["History", "history"]

_PIECES_OF_A_FILE = 10
_SEED = 1
_ENTITIES = {"maritime": 5_000, "netbill": 2_000, "voting": 2_000}  # for a million records


@dataclass(frozen=True)
class History:
    """Records of an application in a folder, with the rules for them."""

    app: str
    folder: Path
    n_records: int
    entities: int
    end: int

    @property
    def records(self) -> Path:
        return self.folder / "records"

    @property
    def prepared(self) -> Path:
        return self.folder / "prepared"

    def rules(self) -> Compiled:
        own = self.folder / "background.prolog"
        background = own if own.exists() else ROOT / "apps" / self.app / "background.prolog"
        return hf.load(*(path for path in rules_of(self.app) if path.stem != "manoeuvres"), background)


def history(app: str, n_records: int) -> History:
    """About so many records of an application; entities and time grow alike."""
    folder = RESULTS / "histories" / f"{app}-{n_records}"
    described = folder / "history.json"
    if not described.exists():
        entities = max(10, round(_ENTITIES[app] * math.sqrt(n_records / 1e6)))
        model = model_of(app, entities=entities, seed=_SEED)
        duration = math.ceil(model.period * n_records / (model.n_units * model.rows_per_unit))
        n_made = _write(model, duration, folder)
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


def _parts(made: Iterator[Rows]) -> Iterator[Iterable[Rows]]:
    for first in made:
        yield chain([first], islice(made, _PIECES_OF_A_FILE - 1))
