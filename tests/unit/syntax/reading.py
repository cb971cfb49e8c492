"""Short ways to read texts, for the tests of this folder."""

from __future__ import annotations

from holdsfor.errors import Diagnostic, Diagnostics
from holdsfor.syntax.description import EventDescription, describe
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Program
from holdsfor.syntax.source import Source

__all__ = ["described", "errors", "only_error", "program", "refused"]


def program(text: str) -> Program:
    """The program of a text without errors."""
    diagnostics = Diagnostics()
    read = parse_program(Source("text", text), diagnostics)
    assert not diagnostics.has_errors, diagnostics.render()
    return read


def errors(text: str) -> list[Diagnostic]:
    """The syntax errors of a text, in order of place."""
    diagnostics = Diagnostics()
    parse_program(Source("text", text), diagnostics)
    assert diagnostics.render()
    return diagnostics.in_order()


def only_error(text: str) -> Diagnostic:
    """The one syntax error of a text."""
    found = errors(text)
    assert len(found) == 1, [d.render() for d in found]
    return found[0]


def described(text: str) -> EventDescription:
    """The event description of a text without errors; notes are passed over."""
    diagnostics = Diagnostics()
    description = describe([program(text)], diagnostics)
    assert not diagnostics.has_errors, diagnostics.render()
    return description


def refused(text: str) -> list[Diagnostic]:
    """The diagnostics for the rules of a text that can be parsed, in source order."""
    diagnostics = Diagnostics()
    describe([program(text)], diagnostics)
    return diagnostics.in_order()
