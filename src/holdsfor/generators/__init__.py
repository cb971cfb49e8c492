"""Streams of any size for the applications: plausible, fast to generate, the same for the same seed.

    MODELS, one module each   the behaviour of entities in one period, as columns of codes
    streams                   the records of all periods, in order of arrival, in pieces
    lateness                  the share of late records, and their delays
    corrections               wrong records, their retractions and revisions
    writing                   pieces to text or Parquet, with the schema

>>> model = model_of("ctm", entities=10, seed=1)
>>> sum(len(piece) for piece in pieces(model, duration=8000, seed=1))
804
"""

from __future__ import annotations

from collections.abc import Callable

from holdsfor.generators.activity import Surveillance
from holdsfor.generators.argumentation import Argumentation
from holdsfor.generators.corrections import NO_CORRECTIONS, Corrections
from holdsfor.generators.ctm import CityTransport
from holdsfor.generators.feedback import Feedback
from holdsfor.generators.fines import Fines
from holdsfor.generators.fleet import Fleet
from holdsfor.generators.lateness import ON_TIME, Lateness, read_lateness, read_share
from holdsfor.generators.maritime import Shipping
from holdsfor.generators.netbill import NetBill
from holdsfor.generators.streams import Model, pieces
from holdsfor.generators.voting import Voting
from holdsfor.generators.writing import to_table, write_parquet, write_text

__all__ = [
    "MODELS",
    "NO_CORRECTIONS",
    "ON_TIME",
    "Corrections",
    "Lateness",
    "Model",
    "model_of",
    "pieces",
    "read_lateness",
    "read_share",
    "to_table",
    "write_parquet",
    "write_text",
]

MODELS: dict[str, Callable[[int, int], Model]] = {
    "activity": Surveillance,
    "argumentation": Argumentation,
    "ctm": CityTransport,
    "feedback": Feedback,
    "fines": Fines,
    "fleet": Fleet,
    "maritime": Shipping,
    "netbill": NetBill,
    "voting": Voting,
}


def model_of(app: str, *, entities: int, seed: int) -> Model:
    """The model of an application."""
    return MODELS[app](entities, seed)
