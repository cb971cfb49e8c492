"""Inputs that cannot be read, beside others that can: each is reported with its reason, and the others are read.

A missing file is always an error, found before any input is read. So are a description of columns that does not fit and
a column of text that the rules use as numbers: without that input, the answer would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.text_records import SetAside

__all__ = ["Unreadable", "refuse_if_all"]

_OF_THE_CALL = ("HF505", "HF507")


@dataclass(frozen=True)
class Unreadable:
    """An input that cannot be read, and the reasons."""

    file: str
    diagnostics: tuple[Diagnostic, ...]

    @staticmethod
    def because(file: str, problem: DataProblem) -> Unreadable:
        """The input and the reasons; columns that do not fit the call or the rules are its error, which is raised."""
        if any(diagnostic.code in _OF_THE_CALL for diagnostic in problem.diagnostics):
            raise problem
        return Unreadable(file, tuple(problem.diagnostics))

    def set_aside(self) -> SetAside:
        """The whole input as a record that does not fit, in line 0."""
        return SetAside(self.file, 0, "", self.diagnostics[0].message)


def refuse_if_all(unreadable: Iterable[Unreadable], n_read: int) -> None:
    """Raise the errors if no input was read."""
    diagnostics = [diagnostic for each in unreadable for diagnostic in each.diagnostics]
    if diagnostics and not n_read:
        raise DataProblem(Diagnostics(diagnostics))
