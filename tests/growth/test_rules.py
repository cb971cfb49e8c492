"""Six times as many rules take six times the work to compile and to run, for rules of any shape.

The work is counted in calls of functions, built-in ones included, so a pass that compares all rules with each other
fails here.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType

import pytest

import holdsfor as hf

LINEAR = 6.6
N_RULES = 14

RECORDS = ["up|1|1|a", "down|2|2|a", "up|5|5|a"]


def independent(n: int) -> list[str]:
    return [
        rule
        for i in range(n // 2)
        for rule in (
            f"initiatedAt(f{i}(X)=true, T) :- happensAt(up(X), T).",
            f"terminatedAt(f{i}(X)=true, T) :- happensAt(down(X), T).",
        )
    ]


def levels(n: int) -> list[str]:
    first = ["initiatedAt(f0(X)=true, T) :- happensAt(up(X), T)."]
    return first + [f"initiatedAt(f{i}(X)=true, T) :- happensAt(start(f{i - 1}(X)=true), T)." for i in range(1, n)]


def interval_levels(n: int) -> list[str]:
    first = ["initiatedAt(f0(X)=true, T) :- happensAt(up(X), T)."]
    return first + [
        f"holdsFor(f{i}(X)=true, I) :- holdsFor(f{i - 1}(X)=true, J), union_all([J], I)." for i in range(1, n)
    ]


def one_cycle(n: int) -> list[str]:
    first = ["initiatedAt(f0(X)=true, T) :- happensAt(up(X), T)."]
    return first + [
        f"initiatedAt(f{i}(X)=true, T) :- happensAt(up(X), T), holdsAt(f{(i + 1) % n}(X)=true, T)." for i in range(n)
    ]


def short_cycles(n: int) -> list[str]:
    return [
        rule
        for i in range(n // 2)
        for rule in (
            f"initiatedAt(f{i}(X)=true, T) :- happensAt(up(X), T), \\+ holdsAt(g{i}(X)=true, T).",
            f"initiatedAt(g{i}(X)=true, T) :- happensAt(up(X), T), holdsAt(f{i}(X)=true, T).",
        )
    ]


def delays(n: int) -> list[str]:
    return ["e(a)."] + [
        clause
        for i in range(n // 2)
        for clause in (
            f"initiatedAt(f{i}(X)=true, T) :- happensAt(up(X), T).",
            f"fi(f{i}(X)=true, f{i}(X)=false, 10).",
            f"grounding(f{i}(X)=V) :- e(X), member(V, [true, false]).",
        )
    ]


def constants(n: int) -> list[str]:
    return [f"initiatedAt(f(c{i},X)=true, T) :- happensAt(up(X), T)." for i in range(n)]


def values(n: int) -> list[str]:
    return [f"initiatedAt(f(X)=v{i}, T) :- happensAt(up(X), T), X @> b{i}." for i in range(n)] + independent(2)


def n_calls(rules: list[str]) -> int:
    """The calls of functions while the rules are compiled and run over three records."""
    n = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal n
        n += event in ("call", "c_call")

    gc.disable()
    sys.setprofile(count)
    try:
        result = hf.recognise(hf.load_text("\n".join(rules)), RECORDS)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert result.to_arrow().num_rows > 0
    return n


@pytest.mark.parametrize(
    "shape",
    [independent, levels, interval_levels, one_cycle, short_cycles, delays, constants, values],
    ids=lambda shape: shape.__name__,
)
def test_work_follows_the_number_of_rules(shape: Callable[[int], list[str]]) -> None:
    n_calls(shape(4))
    assert n_calls(shape(6 * N_RULES)) < LINEAR * n_calls(shape(N_RULES))
