"""Predicates on positions in degrees.

distance(La1, Lo1, La2, Lo2, M)     M is the distance on a sphere, in metres
in_area(La, Lo, Area)               the position is in the area or on its boundary
near_area(La, Lo, M, Area)          the position is at most M metres from the area
"""

from __future__ import annotations

import math
from typing import Any

from holdsfor.prolog.areas import Areas, areas_of, haversine
from holdsfor.prolog.problems import not_a
from holdsfor.prolog.registry import Answers, Arguments, BuiltinContext, deterministic, enumerated
from holdsfor.prolog.unify import unify
from holdsfor.syntax.terms import Float, Int, Term

__all__ = ["SPATIAL"]

SPATIAL = {("distance", 5): 4, ("in_area", 3): 2, ("near_area", 4): 3}
"""The predicates on positions, with the number of arguments that they need."""


def _number(term: Term) -> float:
    if isinstance(term, Int | Float) and math.isfinite(term.value):
        return float(term.value)
    raise not_a("a number", term)


@deterministic(("distance", 5))
def _distance(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[4], Float(haversine(*map(_number, args[:4]))), run.trail)


@enumerated(("in_area", 3))
def _in_area(args: Arguments, run: BuiltinContext) -> Answers:
    areas = areas_of(run.database)
    return _answers(args, areas, areas.containing(*_columns(args[:2]))[1])


@enumerated(("near_area", 4))
def _near_area(args: Arguments, run: BuiltinContext) -> Answers:
    areas = areas_of(run.database)
    return _answers(args, areas, areas.near(*_columns(args[:3]))[1])


def _columns(args: Arguments) -> list[Any]:
    import numpy as np

    return [np.array([_number(arg)]) for arg in args]


def _answers(args: Arguments, areas: Areas, found: Any) -> Answers:
    return iter([(*args[:-1], areas.names[number]) for number in found.tolist()])
