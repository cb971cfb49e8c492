"""The types of results that are predicted before a run are those that the run gives, on random programs.

schema before = schema after: no constant of a result has a type that its place is not predicted to have. The types of
the input are exactly those of its records, so that the prediction is as narrow as it can be.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from holdsfor.analysis.place_types import InputColumn, place_types
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType, argument_places, type_of
from holdsfor.errors import PlanningProblem
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Struct, Term
from tests.properties.answers import Input, batch_answer, read_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.programs import Case, random_case
from tests.seeds import chunks, named, share

GENERAL, DELAYED = range(3000, 3400), range(3400, 3480)


def types_of(terms: list[Term]) -> dict[Place, ConstantType]:
    found: dict[Place, ConstantType] = defaultdict(lambda: ConstantType.NOTHING)
    for term in terms:
        for place, part in argument_places(term):
            found[place] |= type_of(part)
    return found


def recorded(given: Input) -> dict[Place, InputColumn]:
    entities = [fact.entity if fact.value is None else Struct("=", (fact.entity, fact.value)) for fact in given.facts]
    return {place: InputColumn(types) for place, types in types_of(entities).items()}


def check_types(seed: int, case: Case) -> int:
    """Check the types of all results, and return the number of places that are narrower than text."""
    given = read_case(case)
    try:
        answer = batch_answer(given, case.end)
    except PlanningProblem:
        return 0
    if isinstance(answer, str):
        return 0
    predicted = place_types(given.compiled.description, recorded(given)).types
    joined = given.compiled.names.joins.types({place: column.types for place, column in recorded(given).items()})
    for place, types in types_of([parse_term(name) for name in answer]).items():
        assert types & ~predicted.get(place, ConstantType.NOTHING) == 0, (seed, place, types, predicted.get(place))
        assert types & ~joined.get(place, ConstantType.ANY) == 0, (seed, place, types, joined.get(place))
    return sum(types in (ConstantType.INTEGER, ConstantType.FLOAT, ConstantType.NUMBER) for types in predicted.values())


@pytest.mark.parametrize("seeds", chunks(share(GENERAL, 40)), ids=named)
def test_results_have_the_predicted_types(seeds: range) -> None:
    for seed in seeds:
        check_types(seed, random_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 10)), ids=named)
def test_results_of_delays_have_the_predicted_types(seeds: range) -> None:
    for seed in seeds:
        check_types(seed, delayed_case(seed))


def test_some_predictions_are_numbers() -> None:
    assert sum(check_types(seed, random_case(seed)) for seed in GENERAL[:40]) > 20
