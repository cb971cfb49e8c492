"""The generated loops of time stepping, as text to read.

`HOLDSFOR_UPDATE_GOLDEN=1` rewrites the texts; read the difference afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import compile_files
from holdsfor.errors import Diagnostics
from holdsfor.runtime.recursion import time_stepping
from holdsfor.runtime.recursion.codegen import LoopData, LoopShape, compiled_loop, loop_text
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from tests.apps.data import ROOT

TEXTS = Path(__file__).parent / "codegen"
NETBILL = ROOT / "apps" / "netbill"


def shapes_of(files: list[Path], lines: list[str], monkeypatch: pytest.MonkeyPatch) -> list[LoopShape]:
    """The shapes of the loops that records lead to."""
    shapes: list[LoopShape] = []

    def noted(shape: LoopShape) -> Callable[[LoopData], int]:
        shapes.append(shape)
        return compiled_loop(shape)

    monkeypatch.setattr(time_stepping, "compiled_loop", noted)
    compiled = compile_files(files, Diagnostics())
    reading = Reading()
    read_text_records(lines, "records", compiled.names, 1, reading)
    session = EngineSession(compiled, start=0)
    session.insert((fact.start, fact) for fact in reading.facts())
    session.query(max(fact.start for fact in reading.facts()))
    return shapes


def check_text(shape: LoopShape, name: str) -> None:
    golden = TEXTS / f"{name}.txt"
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN") == "1":
        golden.write_text(loop_text(shape), encoding="utf-8")
    assert loop_text(shape) == golden.read_text(encoding="utf-8")


def test_two_rules_of_a_light_share_rows_and_guards_in_one_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    light = ROOT / "benchmarks" / "light.prolog"
    (shape,) = shapes_of([light], ["press|1|1|lamp", "press|2|2|lamp"], monkeypatch)
    check_text(shape, "light")


def test_netbill_has_loops_with_delays_and_with_other_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [NETBILL / "rules.prolog", NETBILL / "background.prolog"]
    lines = (NETBILL / "events.txt").read_text(encoding="utf-8").splitlines()
    permission, contract = shapes_of(files, lines, monkeypatch)
    check_text(permission, "netbill-permission")
    check_text(contract, "netbill-contract")
