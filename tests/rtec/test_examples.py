"""RTEC's example applications with its own rules: the answers of RTEC at every query time, or explained differences."""

from __future__ import annotations

import re
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
_CTM = (
    *("abrupt_acceleration", "abrupt_deceleration", "internal_temperature_change", "noise_level_change"),
    *("passenger_density_change", "sharp_turn", "stop_enter_leave"),
)
CTM = Example(
    "ctm",
    shipped("ctm", *_CTM, start=0, end=50_000),
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
ALLEN = replace(MARITIME, rules="resources/patterns/alternative_pattern_definitions/rules_allen.prolog")
CHANGES = replace(MARITIME, rules="resources/patterns/alternative_pattern_definitions/rules_inst_speed_change.prolog")
CAVIAR = Example(
    "caviar",
    caviar(start=0, end=1_007_000),
    *(0, 1_007_000, 100_000, 100_000),
    tick=40,
    hooks=("resources/auxiliary/pre-processing.prolog",),
    stated="points(distance(_,_,_)=true).\nbuildFromPoints(distance(_,_,_)=true).",
    n_read=2,
)


def every_value(rules: str) -> str:
    """City transport with a grounding for each value that the data mention."""
    values = [
        *(("internal_temperature", value) for value in ("cold", "normal", "warm")),
        *(("noise_level", "low"), ("passenger_density", "low")),
    ]
    return "\n".join([rules, *(f"grounding({name}(Id,Type)={value}) :- vehicle(Id,Type)." for name, value in values)])


def every_vehicle(rules: str) -> str:
    """City transport where the background knowledge names the vehicles, not the records."""
    return every_value(rules).replace("dynamicDomain(vehicle(_,_)).", "")


def without_index(rules: str) -> str:
    """`holdsFor(F=V, I)` for `holdsFor(Vessel, F=V, I)`."""
    return re.sub(r"holdsFor\(Vessel\d?, *(?=\w+\()", "holdsFor(", rules)


def in_one_window(example: Example) -> Example:
    return replace(example, window=example.end - example.start, step=example.end - example.start)


# In the windows of RTEC's defaults, with its rules as they are. Differences are explained by fluent.
AS_THEY_ARE = {
    "toy": TOY,
    "ctm": CTM,
    "voting": VOTING,
    "netbill": NETBILL,
    "maritime": MARITIME,
    "maritime, Allen relations": ALLEN,
    "maritime, speed changes at time-points": CHANGES,
    "caviar": CAVIAR,
}

# The same without what brings the differences about. All answers agree, which is what shows the reasons to be right.
WITHOUT_THE_REASON = {
    "ctm, values declared, windows begin earlier": replace(CTM, window=10_001, edit=every_value),
    "ctm, overlapping windows": replace(
        CTM, records=shipped("ctm", *_CTM, start=0, end=3000), end=3000, window=501, step=100, edit=every_vehicle
    ),
    "netbill, windows over everything": replace(NETBILL, window=101),
    "maritime, one window": in_one_window(MARITIME),
    "maritime, speed changes, one window": in_one_window(CHANGES),
    "caviar, one window that begins earlier": replace(CAVIAR, window=1_007_040, step=1_007_000),
}


def compared(example: Example, folder: Path) -> Compared:
    files = example.records(folder)
    return compare(rtec_answers(example, files, folder), answers(example, files, folder))


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_examples_agree_or_are_explained(name: str, tmp_path: Path, count: Count) -> None:
    found = compared(AS_THEY_ARE[name], tmp_path)
    assert found.names == set(EXAMPLES.get(name, {})), dict(list(found.different.items())[:3])
    count(f"examples: {name}", found.n_answers, len(found.different))


@pytest.mark.parametrize("name", WITHOUT_THE_REASON)
def test_examples_agree_without_the_reason_of_the_differences(name: str, tmp_path: Path, count: Count) -> None:
    found = compared(WITHOUT_THE_REASON[name], tmp_path)
    assert found.different == {}
    count(f"examples: {name}", found.n_answers, 0)


def test_maritime_patterns_with_allen_relations_differ_in_meets_only(tmp_path: Path, count: Count) -> None:
    found = compared(replace(in_one_window(ALLEN), correct=without_index), tmp_path)
    assert found.names == {"gainingSpeed", "stoppedMeetsGap"}
    count("examples: maritime, Allen relations, one window", found.n_answers, len(found.different))
