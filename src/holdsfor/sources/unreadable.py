"""Inputs that cannot be read among others that can: each is told with its reason, and none costs the others.

An input that does not exist is no such case: the call is wrong, and that is known before anything is read. Neither is
a column of text that the rules use as numbers: other inputs alone would give another answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.text_records import SetAside

__all__ = ["Unreadable", "refuse_if_all"]


@dataclass(frozen=True)
class Unreadable:
    """An input of which nothing can be read, and why."""

    file: str
    diagnostics: tuple[Diagnostic, ...]

    @staticmethod
    def because(file: str, problem: DataProblem) -> Unreadable:
        """The input and why; text where the rules use numbers is a mistake of the call, and stops it."""
        if any(diagnostic.code == "HF507" for diagnostic in problem.diagnostics):
            raise problem
        return Unreadable(file, tuple(problem.diagnostics))

    def set_aside(self) -> SetAside:
        """The whole input among the records that do not fit: it stands in no line."""
        return SetAside(self.file, 0, "", self.diagnostics[0].message)


def refuse_if_all(unreadable: Iterable[Unreadable], n_read: int) -> None:
    """Stop if there is nothing left to read."""
    diagnostics = [diagnostic for each in unreadable for diagnostic in each.diagnostics]
    if diagnostics and not n_read:
        raise DataProblem(Diagnostics(diagnostics))
