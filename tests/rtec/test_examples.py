"""RTEC's example applications with its own rules: the answers of RTEC at every query time, or explained differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rtec.differences import EXAMPLES
from tests.rtec.examples import Compared, Example, answers, compare, rtec_answers
from tests.rtec.records import brest, caviar, netbill, shipped

Count = Callable[[str, int, int], None]

TOY = Example(
    "toy",
    shipped("toy", "toy_data", start=0, end=50),
    *(0, 50, 10, 10),
    background=("dataset/auxiliary/toy_var_domain.prolog",),
)
CTM = Example(
    "ctm",
    shipped(
        "ctm",
        "abrupt_acceleration",
        "abrupt_deceleration",
        "internal_temperature_change",
        "noise_level_change",
        "passenger_density_change",
        "sharp_turn",
        "stop_enter_leave",
        start=0,
        end=50_000,
    ),
    *(0, 50_000, 10_000, 10_000),
    background=("dataset/auxiliary/vehicles.prolog",),
)
VOTING = Example(
    "voting",
    shipped("voting", "voting", start=0, end=100, keep=lambda fields: int(fields[3]) < 100),
    *(0, 100, 10, 10),
    background=("dataset/auxiliary/voting_static_generator.prolog",),
)
NETBILL = Example(
    "netbill",
    netbill(agents=12, end=100, seed=1),
    *(0, 100, 10, 10),
    background=("dataset/auxiliary/netbill_static_generator.prolog",),
)
_SEA = 1_445_079_000
MARITIME = Example(
    "maritime",
    brest(start=_SEA, end=_SEA + 360_000),
    *(_SEA, _SEA + 360_000, 36_000, 36_000),
    background=("resources/auxiliary/compare.prolog", "resources/auxiliary/loadStaticData.prolog"),
)
CAVIAR = Example(
    "caviar",
    caviar(start=0, end=1_007_000),
    *(0, 1_007_000, 1_007_040, 1_007_000),
    tick=40,
    hooks=("resources/auxiliary/pre-processing.prolog",),
    stated="points(distance(_,_,_)=true).\nbuildFromPoints(distance(_,_,_)=true).",
    n_read=2,
)
EXAMPLES_AS_THEY_ARE = {
    "toy": TOY,
    "ctm": CTM,
    "voting": VOTING,
    "netbill": NETBILL,
    "maritime": MARITIME,
    "caviar": CAVIAR,
}


def compared(example: Example, folder: Path) -> Compared:
    files = example.records(folder)
    return compare(rtec_answers(example, files, folder), answers(example, files, folder))


@pytest.mark.parametrize("name", EXAMPLES_AS_THEY_ARE)
def test_examples_agree_or_are_explained(name: str, tmp_path: Path, count: Count) -> None:
    found = compared(EXAMPLES_AS_THEY_ARE[name], tmp_path)
    assert found.names == set(EXAMPLES.get(name, {})), dict(list(found.different.items())[:3])
    count(f"examples: {name}", found.n_answers, len(found.different))


def test_ctm_agrees_when_all_values_are_declared_and_the_first_window_begins_before_the_start(
    tmp_path: Path, count: Count
) -> None:
    values = [
        *(("internal_temperature", value) for value in ("cold", "normal", "warm")),
        *(("noise_level", "low"), ("passenger_density", "low")),
    ]
    declared = [f"grounding({name}(Id,Type)={value}) :- vehicle(Id,Type)." for name, value in values]
    found = compared(replace(CTM, window=10_001, more="\n".join(declared)), tmp_path)
    assert found.different == {}
    count("examples: ctm, all values declared", found.n_answers, 0)


def test_maritime_agrees_in_one_window(tmp_path: Path, count: Count) -> None:
    found = compared(replace(MARITIME, window=360_000, step=360_000), tmp_path)
    assert found.different == {}
    count("examples: maritime, one window", found.n_answers, 0)
