"""Diagnostics on standard error."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence

from holdsfor.errors import Diagnostic, Diagnostics, printable

__all__ = ["print_diagnostics", "print_warning_count"]


_UNKNOWN_NAMES = ("HF301", "HF302", "HF309", "HF310", "HF315")


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)


def print_warning_count(diagnostics: Diagnostics, files: Sequence[str]) -> None:
    """Print one line about the warnings in rules: their number and one of them. `check` shows all.

    A name that does not exist comes first: its rule has no effect.
    """
    warnings = [each for each in diagnostics.in_order() if each.severity == "warning"]
    if not warnings:
        return
    first = min(warnings, key=lambda each: each.code not in _UNKNOWN_NAMES)
    place = f" ({first.place})" if first.place else ""
    more = f", and {len(warnings) - 1} more" if len(warnings) > 1 else ""
    command = shlex.join(["holdsfor", "check", *files])
    line = f"warning[{first.code}]: {first.message}{place}{more}; `{command}` explains"
    print(printable(line), file=sys.stderr)
