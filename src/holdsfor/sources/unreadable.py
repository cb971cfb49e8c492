"""Inputs that cannot be read, beside others that can: each is reported with its reason, and the others are read.

A missing file is always an error, found before any input is read. So are a description of columns that fits no file of
an input, and a column of text that the rules use as numbers: without that input, the answer would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.text_records import SetAside

__all__ = ["Unreadable", "refuse_if_all"]

_OF_THE_DESCRIPTION = "HF505"
_OF_THE_RULES = "HF507"


@dataclass(frozen=True)
class Unreadable:
    """An input that cannot be read, and the reasons."""

    file: str
    diagnostics: tuple[Diagnostic, ...]

    @staticmethod
    def because(file: str, problem: DataProblem, *, is_among_others: bool = False) -> Unreadable:
        """The input and the reasons; columns that do not fit the call or the rules are its error, which is raised.

        A file that does not fit the description of a folder is unreadable, if others may.
        """
        codes = {diagnostic.code for diagnostic in problem.diagnostics}
        if _OF_THE_RULES in codes or (_OF_THE_DESCRIPTION in codes and not is_among_others):
            raise problem
        return Unreadable(file, tuple(problem.diagnostics))

    @property
    def lacks_described_columns(self) -> bool:
        return any(diagnostic.code == _OF_THE_DESCRIPTION for diagnostic in self.diagnostics)

    def set_aside(self) -> SetAside:
        """The whole input as a record that does not fit, in line 0."""
        return SetAside(self.file, 0, "", self.diagnostics[0].message)


def refuse_if_all(unreadable: Iterable[Unreadable], n_read: int) -> None:
    """Raise the errors if no input was read."""
    diagnostics = [diagnostic for each in unreadable for diagnostic in each.diagnostics]
    if diagnostics and not n_read:
        raise DataProblem(Diagnostics(diagnostics))
