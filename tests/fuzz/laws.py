"""What must be so for every text, however broken: a diagnostic or a result, in time, and never a traceback."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from holdsfor.analysis.pipeline import analyse
from holdsfor.errors import Diagnostics, HoldsforError
from holdsfor.syntax.load import load_programs
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.printer import show_program
from holdsfor.syntax.program import Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Struct
from tests.properties.terms import spelled_out

__all__ = ["SECONDS_PER_INPUT", "TooSlow", "check_file", "check_text", "reduced", "time_limit"]

SECONDS_PER_INPUT = 10.0
_AGAIN_SECONDS = 0.01


class TooSlow(BaseException):
    """An input took longer than its limit. Not an `Exception`, so that nothing on the way can swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the body if it takes more processor time than that, however busy the machine is.

    An exception in a callback of the garbage collector is lost, and Hypothesis has such a callback. So `TooSlow` is
    raised only in the code of the package and of the tests. The signal repeats until it finds that code running.
    """

    def stop(signal_number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("holdsfor", "tests"):
            raise TooSlow(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def check_text(text: str) -> None:
    """Parse, print, read back and analyse a text. Raises the error of the first step that fails."""
    diagnostics = Diagnostics()
    program = parse_program(Source("fuzz", text), diagnostics)
    if not diagnostics.has_errors and not _changes_operators(program):
        _check_printing(program)
    _check_analysis([program], diagnostics)


def check_file(path: Path) -> None:
    """Load and analyse a file of any bytes. Raises the error of the first step that fails."""
    diagnostics = Diagnostics()
    _check_analysis(load_programs([path], diagnostics), diagnostics)


def _check_printing(program: Program) -> None:
    printed = show_program(program)
    diagnostics = Diagnostics()
    again = parse_program(Source("printed", printed), diagnostics)
    assert not diagnostics.has_errors, f"the printed program is not readable:\n{diagnostics.render()}"
    assert repr(spelled_out(again)) == repr(spelled_out(program)), "the printed program is another one"


def _changes_operators(program: Program) -> bool:
    """Whether the printed text, with the standard operators, may be read differently."""
    return any(isinstance(d.goal, Struct) and d.goal.name == "op" for d in program.directives)


def _check_analysis(programs: list[Program], diagnostics: Diagnostics) -> None:
    try:
        compiled = analyse(programs, diagnostics)
    except HoldsforError as problem:
        _check_rendering(problem.diagnostics)
        return
    _check_rendering(diagnostics)
    assert (compiled is None) == diagnostics.has_errors
    if compiled is not None:
        assert all(isinstance(str(found), str) for found in (compiled.names, compiled.graph, compiled.levels))


def _check_rendering(diagnostics: Diagnostics) -> None:
    assert bool(diagnostics.render()) == bool(len(diagnostics))
    json.dumps([diagnostic.to_json() for diagnostic in diagnostics.in_order()])


def reduced(text: str, fails: Callable[[str], bool], rounds: int = 400) -> str:
    """A shorter text that still fails: ever smaller pieces are left out while that is so."""
    size = max(1, len(text) // 2)
    while size and rounds > 0:
        at = 0
        while at < len(text) and rounds > 0:
            shorter = text[:at] + text[at + size :]
            rounds -= 1
            if fails(shorter):
                text = shorter
            else:
                at += size
        size //= 2
    return text
