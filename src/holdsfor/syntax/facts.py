"""Read runs of plain ground facts with regular expressions.

Background knowledge may hold millions of facts such as `vesselType(227574020, fishing).`. A run of at least
`MINIMAL_RUN` facts with constant arguments is matched with one expression and split with another, without a token or a
term per fact: only the distinct constants become terms. Facts of several predicates, several facts on a line and
comments between facts are parts of a run, so the layout of a file does not matter for speed.
"""

from __future__ import annotations

import re

from holdsfor.syntax.program import FactTable, GivenRow, InputFactTable
from holdsfor.syntax.source import Source, Span
from holdsfor.syntax.terms import Atom, Constant, Float, Int

__all__ = ["MINIMAL_RUN", "read_fact_run", "read_input_facts"]

MINIMAL_RUN = 64

_NUMBER = r"-?\d{1,300}(?:\.\d+(?:[eE][+-]?\d+)?)?"
_CONSTANT = rf"(?:{_NUMBER}|[a-z]\w*|'[^'\\\n]*'|\"[^\"\\\n]*\")"
_ARGUMENTS = rf"{_CONSTANT}(?:\s*,\s*{_CONSTANT}){{0,31}}"
_CONSTANTS = re.compile(_CONSTANT)
_COMMENT = r"%[^\n]*\n"
_LAYOUT = rf"(?:\s+|{_COMMENT})(?:\s+|{_COMMENT}|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_MEANINGFUL = {
    *("happensAt", "holdsAt", "holdsFor", "initiatedAt", "terminatedAt", "initiates", "terminates", "initially"),
    *("fi", "ft", "p", "grounding", "index", "dynamicDomain", "collectGrounds", "collectIntervals"),
    *("buildFromPoints", "points", "maxDuration", "maxDurationUE", "union_all", "intersect_all", "complement_all"),
    *("relative_complement_all", "allen", "preProcessing", "iePList", "simpleFPList", "sdFPList", "evTList"),
    *("needsGrounding", "cachingOrder", "cachingOrder2", "levelOf"),
}
_NAME = rf"(?!(?:{'|'.join(sorted(_MEANINGFUL))})\()[a-z]\w*"
_RUN = re.compile(rf"(?:{_NAME}\(\s*{_ARGUMENTS}\s*\)\s*\.{_LAYOUT})*+")
_FACT = re.compile(rf"({_NAME})\(\s*({_ARGUMENTS})\s*\)\s*\.{_LAYOUT}")

_ENTITY = rf"([a-z]\w*)(?:\(\s*({_CONSTANT}(?:\s*,\s*{_CONSTANT}){{0,31}})\s*\))?"
_TIME = r"(-?\d{1,18})"
_INPUT_FACT = re.compile(
    rf"(?:happensAt\(\s*{_ENTITY}\s*,\s*{_TIME}"
    rf"|holdsAt\(\s*{_ENTITY}\s*=\s*({_CONSTANT})\s*,\s*{_TIME}"
    rf"|holdsFor\(\s*{_ENTITY}\s*=\s*({_CONSTANT})\s*,\s*\[\(\s*{_TIME}\s*,\s*{_TIME}\s*\)\]"
    rf")\s*\)\s*\.(?:{_LAYOUT}|\Z)"
)
_IS_INPUT_FACT = re.compile(r"h(?:appens|olds)")
_EDGES = ("start", "end", "startI", "endI")


class _Constants(dict[str, Constant]):
    """Constants by their spelling; each distinct constant is created once."""

    def __missing__(self, text: str) -> Constant:
        constant: Constant
        spelling, text = text, text.strip()
        if text[0] in "'\"":
            constant = Atom(text[1:-1])
        elif text[0].isalpha():
            constant = Atom(text)
        elif text.lstrip("-").isdigit():
            constant = Int(int(text))
        else:
            constant = Float(float(text))
        self[spelling] = constant
        return constant


def read_fact_run(source: Source, at: int) -> tuple[list[FactTable], int]:
    """The run of facts that starts at `at`, a table for each predicate, and its end; no table if the run is short."""
    match = _RUN.match(source.text, at)
    assert match is not None, "the run may be empty"
    if match.end() - at < MINIMAL_RUN * len("f(x). "):
        return [], match.end()
    facts = _FACT.findall(source.text, at, match.end())
    if len(facts) < MINIMAL_RUN:
        return [], match.end()
    arguments: dict[tuple[str, int], list[str]] = {}
    for name, text in facts:
        has_quotes = "'" in text or '"' in text
        arity = len(_CONSTANTS.findall(text)) if has_quotes else 1 + text.count(",")
        arguments.setdefault((name, arity), []).append(text)
    span, known = Span(source, at, match.end()), _Constants()
    tables = [FactTable(name, _columns(texts, arity, known), span) for (name, arity), texts in arguments.items()]
    return tables, match.end()


def _columns(texts: list[str], arity: int, constants: _Constants) -> tuple[list[Constant], ...]:
    """The columns of facts, from the texts of their arguments."""
    whole = ",".join(texts)
    spellings = _CONSTANTS.findall(whole) if "'" in whole or '"' in whole else whole.split(",")
    return tuple(list(map(constants.__getitem__, spellings[i::arity])) for i in range(arity))


def read_input_facts(source: Source, at: int) -> tuple[InputFactTable, int] | None:
    """The run of input facts that starts at `at`, and its end; None if the run is too short."""
    if not _IS_INPUT_FACT.match(source.text, at):
        return None
    constants, rows, end = _Constants(), list[GivenRow](), at
    while (match := _INPUT_FACT.match(source.text, end)) is not None:
        row = _input_fact_row(match, constants)
        if row is None:
            break
        rows.append(row)
        end = match.end()
    return (InputFactTable(rows, Span(source, at, end)), end) if len(rows) >= MINIMAL_RUN else None


def _input_fact_row(match: re.Match[str], constants: _Constants) -> GivenRow | None:
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
    if "'" in arguments or '"' in arguments:
        return tuple(map(constants.__getitem__, _CONSTANTS.findall(arguments)))
    return tuple([constants[argument] for argument in arguments.split(",")])
