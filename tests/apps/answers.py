"""The output of a run as data."""

from __future__ import annotations

import pytest

from holdsfor.cli.main import main
from tests.results import by_entity

__all__ = ["Intervals", "answer_of"]

Intervals = list[tuple[int, float]]


def answer_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Intervals]:
    """The intervals of every FVP in the output of the reference evaluator; an open end is infinite."""
    assert main(["run", *arguments, "--engine", "reference", "--format", "jsonl"]) == 0
    printed = by_entity(capsys.readouterr().out.splitlines())
    return {
        line["fvp"]: [(start, float("inf") if end is None else end) for start, end in line["intervals"]]
        for line in printed
        if "fvp" in line
    }
