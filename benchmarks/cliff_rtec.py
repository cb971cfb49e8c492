"""Shapes of RTEC's own applications, from a checkout of RTEC: more records of the same entities, and more entities."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from cliff_shapes import Case, Dimension, Shape, Work, n_rows
from streams import Stream

from holdsfor.analysis.pipeline import compile_files
from holdsfor.errors import Diagnostics

__all__ = ["is_missing", "rtec_shapes"]

_FEW = 2_000


def rtec_shapes() -> tuple[Shape, ...]:
    """The shapes of the checkout that `RTEC` names; none without a checkout."""
    if not os.environ.get("RTEC"):
        return ()
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from rtec_inputs import WORKS

    works = {work.example.app + work.example.rules: work for work in reversed(WORKS)}
    return tuple(_shape(work, dimension) for dimension in ("row", "entity") for work in reversed(works.values()))


def is_missing(problem: BaseException) -> bool:
    """Whether a problem is a file that the checkout does not have, or a program that is not installed."""
    import pytest

    return isinstance(problem, pytest.skip.Exception)


def _shape(work: object, dimension: Dimension) -> Shape:
    from rtec_inputs import Work as Application
    from rtec_inputs import prepare

    assert isinstance(work, Application)
    name = work.name.split(",")[0]

    def case(n: int) -> Case:
        copies, first = (1, n) if dimension == "row" else (n, _FEW)
        with tempfile.TemporaryDirectory() as folder:
            given = prepare(work, copies, Path(folder), first)
            rules = Path(folder, "all_rules.prolog")
            rules.write_text(given.rules, encoding="utf-8")
            compiled = compile_files([rules, *given.background], Diagnostics())
            content = b"".join(file.read_bytes() for file in given.records)
        stream = Stream(compiled, content, work.example.tick, work.example.start)

        def start() -> Work:
            run = stream.run(work.example.window, work.example.step)
            return lambda: n_rows(run.settle())

        return Case(stream.n_records, start)

    n = 200 if dimension == "row" else 1
    return Shape(name, "RTEC's files" if dimension == "row" else "RTEC's files, entities", case, dimension, n)
