"""Read runs of plain ground facts with regular expressions.

Background knowledge may hold millions of facts such as `vesselType(227574020, fishing).`. A run of at least
`MINIMAL_RUN` facts of one predicate with constant arguments is matched with one expression and split with another,
without a token or a term per fact: only the distinct constants become terms.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holdsfor.syntax.program import FactTable, GivenRow, InputFactTable
from holdsfor.syntax.source import Source, Span
from holdsfor.syntax.terms import Atom, Constant, Float, Int

__all__ = ["MINIMAL_RUN", "read_fact_run", "read_input_facts"]

MINIMAL_RUN = 64

_NUMBER = r"-?\d{1,300}(?:\.\d+(?:[eE][+-]?\d+)?)?"
_CONSTANT = rf"(?:{_NUMBER}|[a-z]\w*|'[^'\\\n]*')"
_FACT = re.compile(rf"([a-z]\w*)\(\s*{_CONSTANT}\s*((?:,\s*{_CONSTANT}\s*){{0,31}})\)\s*\.(?=\s|\Z)")
_SPACE = re.compile(r"\s+")
_MEANINGFUL = {
    *("happensAt", "holdsAt", "holdsFor", "initiatedAt", "terminatedAt", "initiates", "terminates", "initially"),
    *("fi", "ft", "p", "grounding", "index", "dynamicDomain", "collectGrounds", "collectIntervals"),
    *("buildFromPoints", "points", "maxDuration", "maxDurationUE", "union_all", "intersect_all", "complement_all"),
    *("relative_complement_all", "allen", "preProcessing", "iePList", "simpleFPList", "sdFPList", "evTList"),
    *("needsGrounding", "cachingOrder", "cachingOrder2", "levelOf"),
}


_ENTITY = rf"([a-z]\w*)(?:\(\s*({_CONSTANT}(?:\s*,\s*{_CONSTANT}){{0,31}})\s*\))?"
_TIME = r"(-?\d{1,18})"
_GIVEN = re.compile(
    rf"(?:happensAt\(\s*{_ENTITY}\s*,\s*{_TIME}"
    rf"|holdsAt\(\s*{_ENTITY}\s*=\s*({_CONSTANT})\s*,\s*{_TIME}"
    rf"|holdsFor\(\s*{_ENTITY}\s*=\s*({_CONSTANT})\s*,\s*\[\(\s*{_TIME}\s*,\s*{_TIME}\s*\)\]"
    r")\s*\)\s*\.(?:\s+|\Z)"
)
_IS_GIVEN = re.compile(r"h(?:appens|olds)")
_EDGES = ("start", "end", "startI", "endI")


class _Constants(dict[str, Constant]):
    """Constants by their spelling; each distinct constant is created once."""

    def __missing__(self, text: str) -> Constant:
        constant: Constant
        if text[0] == "'":
            constant = Atom(text[1:-1])
        elif text[0].isalpha():
            constant = Atom(text)
        elif text.lstrip("-").isdigit():
            constant = Int(int(text))
        else:
            constant = Float(float(text))
        self[text] = constant
        return constant


def read_fact_run(source: Source, at: int) -> tuple[FactTable, int] | None:
    """The run of facts that starts at `at`, and its end; None if the run is too short."""
    first = _FACT.match(source.text, at)
    if first is None or first[1] in _MEANINGFUL or not _goes_on(source.text, first):
        return None
    arity = 1 + _n_constants(first[2])
    run, fact = _patterns(first[1], arity)
    match = run.match(source.text, at)
    if match is None:
        return None
    rows = fact.findall(source.text, at, match.end())
    constants = _Constants()
    if arity == 1:
        columns: tuple[list[Constant], ...] = (list(map(constants.__getitem__, rows)),)
    else:
        columns = tuple(list(map(constants.__getitem__, column)) for column in zip(*rows, strict=True))
    return FactTable(first[1], columns, Span(source, at, match.end())), match.end()


def read_input_facts(source: Source, at: int) -> tuple[InputFactTable, int] | None:
    """The run of input facts that starts at `at`, and its end; None if the run is too short."""
    if not _IS_GIVEN.match(source.text, at):
        return None
    constants, rows, end = _Constants(), list[GivenRow](), at
    while (match := _GIVEN.match(source.text, end)) is not None:
        row = _given_row(match, constants)
        if row is None:
            break
        rows.append(row)
        end = match.end()
    return (InputFactTable(rows, Span(source, at, end)), end) if len(rows) >= MINIMAL_RUN else None


def _given_row(match: re.Match[str], constants: _Constants) -> GivenRow | None:
    """The row of an input fact; None if the full parser has to read the fact."""
    event, event_args, at, *fluents = match.groups()
    if event is not None:
        return None if event in _EDGES else (event, _split(event_args, constants), None, int(at), None)
    point, point_args, point_value, time, fluent, args, value, start, end = fluents
    if point is not None:
        return point, _split(point_args, constants), constants[point_value], int(time), None
    if int(start) >= int(end):
        return None
    return fluent, _split(args, constants), constants[value], int(start), int(end)


def _split(arguments: str | None, constants: _Constants) -> tuple[Constant, ...]:
    if arguments is None:
        return ()
    if "'" in arguments:
        return tuple(map(constants.__getitem__, re.findall(_CONSTANT, arguments)))
    return tuple([constants[argument.strip()] for argument in arguments.split(",")])


def _goes_on(text: str, first: re.Match[str]) -> bool:
    """Whether a few more facts of this name follow. Patterns are compiled only for runs that may be long."""
    here: re.Match[str] | None = first
    for _ in range(3):
        assert here is not None
        begin = _SPACE.match(text, here.end())
        here = _FACT.match(text, begin.end()) if begin else None
        if here is None or here[1] != first[1]:
            return False
    return True


def _n_constants(text: str) -> int:
    return len(re.findall(rf",\s*{_CONSTANT}", text))


@lru_cache(maxsize=256)
def _patterns(name: str, arity: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    def of(constant: str) -> str:
        return rf"{name}\(\s*" + r"\s*,\s*".join([constant] * arity) + r"\s*\)\s*\."

    run = re.compile(rf"(?:{of(_CONSTANT)}\s+){{{MINIMAL_RUN},}}+")
    return run, re.compile(of(f"({_CONSTANT})"))
