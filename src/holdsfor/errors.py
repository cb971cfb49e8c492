"""Errors: their classes, and the diagnostics that they carry.

    HoldsforError
    ├── SyntaxProblem      the text is not in the language          HF1xx
    ├── AnalysisProblem    the rules have no meaning                HF2xx (errors), HF3xx (warnings)
    ├── PlanningProblem    an engine cannot compute the rules       HF4xx
    ├── DataProblem        a record or an input file does not fit   HF5xx
    ├── ExecutionProblem   a run cannot go on                       HF6xx
    └── UsageProblem       a command was called wrongly             HF7xx

A problem carries diagnostics. Each diagnostic has a stable code, one sentence, the place in the text and a hint.
`holdsfor.codes` explains every code. Compile phases collect all diagnostics of a file before they raise.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from holdsfor.codes import CODES
from holdsfor.syntax.source import Span

__all__ = [
    "AnalysisProblem",
    "DataProblem",
    "Diagnostic",
    "Diagnostics",
    "ExecutionProblem",
    "Hint",
    "HoldsforError",
    "NoResultWarning",
    "OrderWarning",
    "ParallelismWarning",
    "PlanningProblem",
    "SyntaxProblem",
    "UsageProblem",
    "counted",
    "did_you_mean",
    "on_command_line",
    "printable",
]

Severity = Literal["error", "warning", "note"]


class Hint(str):
    """A hint in the words of the Python API, and in those of the command line, where options are flags.

    >>> hint = Hint("`overwrite=True` replaces it", on_command_line="`--overwrite` replaces it")
    >>> str(hint)
    '`overwrite=True` replaces it'
    """

    on_command_line: str

    def __new__(cls, in_python: str, *, on_command_line: str) -> Hint:
        made = super().__new__(cls, in_python)
        made.on_command_line = on_command_line
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        return (str(self),), {"on_command_line": self.on_command_line}


_is_command_line = False


@contextmanager
def on_command_line() -> Iterator[None]:
    """A context in which hints are in the words of the command line."""
    global _is_command_line
    before, _is_command_line = _is_command_line, True
    try:
        yield
    finally:
        _is_command_line = before


@dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a note: `message` is a lower-case sentence with names in backticks, `hint` the remedy."""

    code: str
    message: str
    span: Span | None = None
    hint: str | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        assert self.code in CODES, self.code

    @property
    def severity(self) -> Severity:
        return CODES[self.code].severity

    @property
    def place(self) -> str | None:
        """`file:line:column` as far as known."""
        return str(self.span) if self.span else self.file

    def render(self) -> str:
        """The diagnostic as text, with the source line and a caret under the offending part."""
        lines = [f"{self.severity}[{self.code}]: {printable(self.message)}"]
        if self.place:
            lines.append(f"  --> {printable(self.place)}")
        if self.span:
            lines.extend(_excerpt(self.span))
        if self._shown_hint:
            lines.append(f"hint: {printable(self._shown_hint)}")
        return "\n".join(lines)

    @property
    def _shown_hint(self) -> str | None:
        """The hint for the reader: that for calls from Python, or that for commands."""
        return self.hint.on_command_line if _is_command_line and isinstance(self.hint, Hint) else self.hint

    def to_json(self) -> dict[str, object]:
        """The diagnostic for an editor: positions from 1, `end` exclusive."""
        place: dict[str, object] = {"file": self.file}
        if self.span:
            line, column = self.span.source.position(self.span.start)
            end_line, end_column = self.span.source.position(self.span.end)
            place = {
                "file": self.span.source.name,
                "line": line,
                "column": column,
                "end_line": end_line,
                "end_column": end_column,
            }
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self._shown_hint,
            **place,
        }


_WIDEST_LINE = 160


def printable(text: str) -> str:
    """The text with a replacement character for each line break and each character that a terminal may obey.

    >>> printable("a\\tb")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun in the singular or plural.

    >>> counted(1, "record"), counted(1_200, "entity", "entities")
    ('1 record', '1,200 entities')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def _excerpt(span: Span) -> list[str]:
    line, column = span.source.position(span.start)
    text = span.source.line(line).replace("\t", " ")
    width = max(1, min(span.end - span.start, len(text) - column + 1))
    first = max(0, column - 1 - _WIDEST_LINE // 2) if len(text) > _WIDEST_LINE else 0
    shown = printable(text[first : first + _WIDEST_LINE])
    caret = " " * (column - 1 - first) + "^" * max(1, min(width, _WIDEST_LINE - (column - 1 - first)))
    margin = " " * len(str(line))
    return [f"{margin} |", f"{line} | {shown}", f"{margin} | {caret}"]


class Diagnostics:
    """A collector of diagnostics. Phases add to it and continue, so that one run shows every error of a file."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        self._all: list[Diagnostic] = list(diagnostics)

    def add(self, code: str, message: str, span: Span | None = None, hint: str | None = None) -> None:
        self._all.append(Diagnostic(code, message, span, hint))

    def append(self, diagnostic: Diagnostic) -> None:
        self._all.append(diagnostic)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def of(self, severity: Severity) -> list[Diagnostic]:
        return [d for d in self._all if d.severity == severity]

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._all)

    def in_order(self) -> list[Diagnostic]:
        """The diagnostics by file (as first mentioned) and place in it."""
        files: dict[str, int] = {}
        for d in self._all:
            files.setdefault(_file(d), len(files))
        return sorted(self._all, key=lambda d: (files[_file(d)], d.span.start if d.span else -1))

    def render(self) -> str:
        return "\n\n".join(d.render() for d in self.in_order())


def _file(diagnostic: Diagnostic) -> str:
    return diagnostic.span.source.name if diagnostic.span else diagnostic.file or ""


class HoldsforError(Exception):
    """Base class of all errors that holdsfor raises."""

    def __init__(self, diagnostics: Diagnostics | Diagnostic) -> None:
        self.diagnostics = Diagnostics([diagnostics]) if isinstance(diagnostics, Diagnostic) else diagnostics
        super().__init__(self.diagnostics.render())

    def __reduce__(self) -> tuple[type[HoldsforError], tuple[Diagnostics]]:
        return type(self), (self.diagnostics,)


class SyntaxProblem(HoldsforError):
    """The text is not in the language."""


class AnalysisProblem(HoldsforError):
    """The rules are in the language but have no meaning."""


class PlanningProblem(HoldsforError):
    """An engine cannot compute the rules."""


class DataProblem(HoldsforError):
    """A record or an input file does not fit the rules."""


class ExecutionProblem(HoldsforError):
    """A run cannot continue."""


class UsageProblem(HoldsforError):
    """A command was called wrongly."""


class ParallelismWarning(UserWarning):
    """Some rules or all of a run are computed by one worker although there are several."""


class MismatchWarning(UserWarning):
    """Rules expect constants that the input does not have, or join constants that are never equal."""


class OrderWarning(UserWarning):
    """Records and their retractions come from an input without an order."""


class SetAsideWarning(UserWarning):
    """Some records do not fit, and were set aside."""


class NoResultWarning(UserWarning):
    """A condition of a rule had no result for some values, and was not satisfied there."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that offers the most similar known name, or None if no name is similar.

    >>> did_you_mean("hapy", ["happy", "rich"])
    'did you mean `happy`?'
    """
    near = difflib.get_close_matches(name, sorted(set(known) - {name}), n=1, cutoff=0.7)
    return f"did you mean `{near[0]}`?" if near else None
