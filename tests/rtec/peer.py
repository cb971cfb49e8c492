"""RTEC beside the project: where its checkout is, and what its code answers under SWI-Prolog.

`RTEC` in the environment names the folder of a checkout of aartikis/RTEC. Nothing of it is copied: its files are read,
and its code runs in processes of their own. Without a checkout or without SWI-Prolog the tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Int, Struct, Term, list_items

__all__ = ["HERE", "SECONDS", "Intervals", "intervals_of", "prolog", "rtec", "swipl", "terms_of"]

HERE = Path(__file__).parent
Intervals = list[tuple[int, int | None]]
SECONDS = 600


def rtec(*parts: str) -> Path:
    """A file or folder of the checkout; the test is skipped without it or without SWI-Prolog."""
    named = os.environ.get("RTEC")
    if not named:
        pytest.skip("no checkout of RTEC: set RTEC to its folder, or say `make test-rtec RTEC=path`")
    if shutil.which("swipl") is None:
        pytest.skip("no SWI-Prolog: install swi-prolog-nox")
    path = Path(named).resolve().joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not in the checkout of RTEC")
    return path


def prolog(script: Path, *arguments: str, folder: Path, seconds: int = SECONDS) -> str:
    """What a script of these tests prints when SWI-Prolog runs it in a folder."""
    return swipl(str(script), "--", *arguments, folder=folder, seconds=seconds)


def swipl(*arguments: str, folder: Path = HERE, seconds: int = SECONDS) -> str:
    """What SWI-Prolog prints, within some seconds."""
    command = ["swipl", *arguments]
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def terms_of(printed: str) -> Iterator[Struct]:
    """The terms that a script printed, one in a line."""
    for line in printed.splitlines():
        term = parse_term(line.removesuffix("."))
        assert isinstance(term, Struct), line
        yield term


def intervals_of(term: Term) -> Intervals:
    """Intervals as Prolog writes them, `[(2,7),(9,inf)]`."""
    return [_interval(pair) for pair in list_items(term)[0]]


def _interval(pair: Term) -> tuple[int, int | None]:
    assert isinstance(pair, Struct)
    start, end = pair.args
    assert isinstance(start, Int)
    if isinstance(end, Int):
        return start.value, end.value
    assert end == Atom("inf"), end
    return start.value, None
