"""Diagnostics on standard error."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence

from holdsfor.errors import Diagnostic, printable

__all__ = ["print_diagnostics", "print_warnings"]


_WORST = ("HF301", "HF302", "HF309", "HF310", "HF315", "HF316", "HF307", "HF325", "HF324", "HF322", "HF308")
"""Codes of warnings because of which a rule has no effect, the worst first; other codes follow in order."""


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)


def print_warnings(diagnostics: Iterable[Diagnostic], options: Sequence[str] = ()) -> None:
    """Print one line for each code of warnings, the worst first, with the options of `check` that show all of them."""
    found = [each for each in diagnostics if each.severity == "warning"]
    codes = sorted({each.code for each in found}, key=_rank)
    command = shlex.join(["holdsfor", "check", *options])
    for code in codes:
        first, *others = [each for each in found if each.code == code]
        place = f" ({first.place})" if first.place else ""
        more = f", and {len(others)} more" if others else ""
        explains = f"; `{command}` explains" if options and code == codes[-1] else ""
        print(printable(f"warning[{code}]: {first.message}{place}{more}{explains}"), file=sys.stderr)


def _rank(code: str) -> tuple[int, str]:
    return (_WORST.index(code) if code in _WORST else len(_WORST)), code
