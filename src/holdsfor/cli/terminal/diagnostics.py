"""Diagnostics on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from holdsfor.errors import Diagnostic

__all__ = ["print_diagnostics"]


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)
