"""Random rules with durations, dates, positions and tables of facts: the engine has the answers of the reference."""

from __future__ import annotations

import random

import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import with_clock
from holdsfor.api.rules import rule_set
from tests.seeds import chunks, named, share
from tests.unit.runtime.comparison import engine_answer, reference_answer

POOL = range(240)

CONDITIONS = (
    "hour_of_day(T, H), H >= {n}",
    "\\+ hour_of_day(T, {n})",
    "day_of_week(T, D), D < {small}",
    "date(T, _, M, Day), Day > {n}, M \\= {small}",
    "distance(La, Lo, 48, -4, Metres), Metres < {n}0000",
    "distance(La, Lo, La, Lo, 0.0)",
    "vessel(V, Type), Type \\= none",
    "\\+ vessel(V, tug)",
    "T mod (6*hours) < {n}*minutes",
    "Late is T + 2*days, date(Late, _, _, Later), Later > {n}",
)
ON_AREAS = (
    "in_area(La, Lo, A)",
    "in_area(La, Lo, port)",
    "\\+ in_area(La, Lo, bay)",
    "near_area(La, Lo, {n}0000, A)",
    "(in_area(La, Lo, bay) ; near_area(La, Lo, {n}000, port))",
    "findall(X, in_area(La, Lo, X), L), length(L, {small})",
)
AREAS = {
    "port": "POLYGON ((-5 48, -4 48, -4 49, -5 49, -5 48))",
    "bay": "POLYGON ((-4.5 48.5, -3 48.5, -3 50, -4.5 48.5))",
}
VESSELS = [{"id": f"v{i}", "type": kind} for i, kind in enumerate(["tug", None, "tanker"])]


def body(pick: random.Random, conditions: tuple[str, ...]) -> str:
    chosen = pick.sample(conditions, pick.randint(1, 3))
    parts = [each.format(n=pick.randint(0, 23), small=pick.randint(0, 3)) for each in chosen]
    place = pick.randint(0, len(parts))
    return ", ".join([*parts[:place], "happensAt(at(V, La, Lo), T)", *parts[place:]])


def random_rules(pick: random.Random, conditions: tuple[str, ...]) -> str:
    hours = pick.randint(1, 9)
    return f"""
    initiatedAt(f(V)=on, T) :- {body(pick, conditions)}.
    terminatedAt(f(V)=on, T) :- {body(pick, conditions)}.
    initiatedAt(g(V)=on, T) :- {body(pick, conditions)}, holdsAt(f(V)=on, T).
    happensAt(seen(V), T) :- {body(pick, conditions)}.
    fi(g(V)=on, g(V)=off, {hours}*hours).
    holdsFor(long(V)=true, I) :- holdsFor(f(V)=on, J), intDurGreater(J, {hours}*hours + 1*minute, I).
    """


@pytest.mark.parametrize("seeds", chunks(share(POOL, 20), 10), ids=named)
def test_random_rules_have_the_answer_of_the_reference(seeds: range) -> None:
    pytest.importorskip("shapely")
    for seed in seeds:
        pick = random.Random(seed)
        zone = pick.choice(["UTC", "Europe/Athens", "America/New_York"])
        text = random_rules(pick, (*CONDITIONS, *ON_AREAS))
        rules = hf.load_text(text).with_facts(VESSELS, "vessel(id, type?)").with_areas(AREAS)
        rules = rule_set(with_clock(rules, "s", zone))
        start = 1_711_800_000 + pick.randint(-3, 3) * 86_400
        latitudes: list[float | str] = [48, 48.5, 49.2, *pick.choice([[], ["n/a"]])]
        times = sorted({start + pick.randint(0, 60) * 1_800 for _ in range(14)})
        records = [
            hf.Event(
                "at",
                f"v{pick.randint(0, 2)}",
                pick.choice(latitudes),
                pick.choice([-4, -4.2, -3.1]),
                at=at,
            )
            for at in times
        ]
        expected = reference_answer(rules, records, times[0], times[-1])
        for options in ({}, {"window": 36_000, "step": 18_000}):
            assert engine_answer(rules, records, time_unit="s", tz=zone, **options) == expected, (seed, options)
