"""The columns of a table that make a record, written like the record in a rule.

    trips.csv: happensAt(speed(vehicle, kmh), ts)
    shifts.csv: holdsFor(working(person)="true", [(begin, finish)]), arrival(received)
    log.jsonl: happensAt(alarm(sensor), time), kind=alarm

Names are columns: as atoms, as variables (`Vehicle`) or in quotes (`'Vehicle ID'`); numbers and strings are constants,
and so is a value in quotes: after `=`, `'off duty'` and `"off duty"` are the same constant.
`holdsAt(F=V, T)` is a fluent at a time-point, `holdsFor(F=V, [(S, E)])` a fluent over an interval. `arrival` and `op`
name these columns, and `column=constant` selects the rows with the constant. `kmh:number` and `vehicle:text` give the
kind of a column (`holdsfor.sources.column_kinds`). `kmh?` is a column whose nulls are the constant `none`.
`position.lat` is the field `lat` of the column `position`, unless a column has that name. `[(S, S + L)]` is an interval
with a length. Lines without a header have the columns of `columns(ts, vehicle, _, kmh)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from holdsfor.analysis.names import Names, Record
from holdsfor.errors import DataProblem, Diagnostic, HoldsforError, did_you_mean
from holdsfor.sources.column_kinds import KINDS, ColumnKind
from holdsfor.syntax.operators import Operators
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Float, Int, Str, Struct, Term, Var, conjuncts, list_items

__all__ = [
    "LISTEN",
    "SOCKET",
    "Mapping",
    "check_mappings",
    "described_fluents",
    "read_fact_mapping",
    "read_mapping",
    "separator_hint",
    "split_facts",
    "split_mapping",
]

SOCKET = "unix:"
"""The prefix of a Unix socket to which a live run connects."""

LISTEN = "listen:"
"""The prefix of a Unix socket on which a live run listens."""

Shape = Literal["event", "points", "intervals"]

_INPUT = re.compile(r"(?P<file>.*?\S)\s*:\s*(?P<mapping>(?:happensAt|holdsAt|holdsFor)\s*\(.*)", re.DOTALL)
_OTHER_SEPARATOR = re.compile(r"(.*?[\w/\]*])[\s=;,@]+(happensAt|holdsAt|holdsFor)\s*\(", re.DOTALL)
_FACTS = re.compile(r"(?P<file>.*?\S)\s*:\s*(?P<facts>[a-z]\w*\s*\(.*\).*)", re.DOTALL)
_FORMS = (
    "write `happensAt(event(column, …), time)`, `holdsAt(fluent(column, …)=value, time)` "
    "or `holdsFor(fluent(column, …)=value, [(start, end)])`"
)


@dataclass(frozen=True)
class Mapping:
    """For each column of a record its column in the table or its constant, its kind, and the conditions on rows.

    Nulls in the columns `optional` are the constant `none`. `header` are the names of the columns of lines without a
    header. With `has_lengths`, the column of the end has the lengths of intervals.
    """

    record: Record
    entity: Term
    columns: dict[str, Term]
    conditions: list[tuple[Atom | Var, str]]
    kinds: dict[str, ColumnKind]
    optional: frozenset[str] = frozenset()
    header: tuple[str, ...] | None = None
    has_lengths: bool = False

    @property
    def wanted(self) -> list[str]:
        """The columns that the table must have."""
        terms = [*self.columns.values(), *(column for column, _ in self.conditions)]
        return list(dict.fromkeys(term.name for term in terms if isinstance(term, Atom | Var)))

    @property
    def optional_columns(self) -> frozenset[str]:
        """The columns that the table may lack values in."""
        return frozenset(term.name for ours in self.optional if isinstance(term := self.columns[ours], Atom | Var))

    def check(self, found: list[str], file: str) -> None:
        """Refuse columns that the table does not have, or has more than once."""
        wanted = [*self.columns.items(), *(("condition", column) for column, _ in self.conditions)]
        for role, term in wanted:
            if role == "value" and isinstance(term, Str) and _is_in_single_quotes(term) and term.value in found:
                hint = f"""write `"{term.value}"` for the constant, or `'{term.value}':text` for the column"""
                raise _problem(f"a value in quotes is a constant, and `{file}` has a column `{term.value}`", term, hint)
            if not isinstance(term, Atom | Var) or found.count(term.name) == 1:
                continue
            if term.name in found:
                raise _problem(f"column `{term.name}` occurs more than once in `{file}`", term)
            hint = did_you_mean(term.name, found) or f"its columns are {', '.join(f'`{name}`' for name in found)}"
            if role == "value":
                hint = f'if `{term.name}` is the value itself, write `"{term.name}"`; {hint}'
            raise _problem(f"column `{term.name}` not found in `{file}`", term, hint)

    def refuse_header(self, file: str) -> None:
        """Refuse names of columns for a file or table that has names."""
        if self.header is not None:
            message = f"`columns(…)` names the columns of lines without a header, and `{file}` has names"
            raise _problem(message, self.entity, "leave out `columns(…)`")

    def check_record(self, names: Names) -> None:
        """Refuse a record that the rules do not use as input."""
        known = [each for each in names.records if each.name == self.record.name]
        if self.record in known:
            return
        if known:
            expected = " or ".join(f"`{each.layout}`" for each in known)
            raise _problem(f"expected {expected}, found `{self.record.layout}`", self.entity)
        if any(self.record.name == name for name, _ in (*names.events, *names.fluents)):
            raise _problem(f"`{self.record.name}` is computed by the rules", self.entity)
        every = dict.fromkeys(each.name for each in names.records)
        listed = f"the rules use {', '.join(f'`{name}`' for name in every)}" if every else "the rules use no input"
        hint = did_you_mean(self.record.name, every) or listed
        raise _problem(f"no rule uses `{self.record.name}`", self.entity, hint)


def split_mapping(text: str) -> tuple[str, str | None]:
    """A file, and the description of its columns if there is one after a colon.

    >>> split_mapping("trips.csv: happensAt(speed(vehicle, kmh), ts)")
    ('trips.csv', 'happensAt(speed(vehicle, kmh), ts)')
    """
    match = _INPUT.fullmatch(text)
    return (match["file"], match["mapping"]) if match else (text, None)


def check_mappings(inputs: Sequence[str], names: Names) -> None:
    """Refuse descriptions of columns that cannot be read, or of records that no rule uses (HF505)."""
    for given in inputs:
        mapping = split_mapping(given)[1]
        if mapping is not None:
            read_mapping(mapping).check_record(names)


def described_fluents(inputs: Iterable[object]) -> set[tuple[str, int]]:
    """The fluents, by name and arity, that descriptions of inputs declare.

    >>> described_fluents(["trips.csv: holdsFor(on(line)=yes, [(from, to)])", "log.txt"])
    {('on', 1)}
    """
    found: set[tuple[str, int]] = set()
    for each in inputs:
        described = split_mapping(each)[1] if isinstance(each, str) else each[1] if isinstance(each, tuple) else None
        with suppress(HoldsforError):
            record = read_mapping(described).record if isinstance(described, str) else None
            if record is not None and record.shape != "event":
                found.add((record.name, record.arity))
    return found


def separator_hint(file: str) -> str | None:
    """A hint for a file that is not found, if its name ends with a description of columns; None for other names.

    >>> separator_hint("trips.csv=happensAt(speed(vehicle, kmh), ts)")
    "a colon separates the file from its columns: 'trips.csv: happensAt(…)'"
    """
    found = _OTHER_SEPARATOR.match(file)
    return None if found is None else f"a colon separates the file from its columns: '{found[1]}: {found[2]}(…)'"


def split_facts(text: str) -> tuple[str, str]:
    """A file and the description of its facts.

    >>> split_facts("vessels.csv: vessel(mmsi, type)")
    ('vessels.csv', 'vessel(mmsi, type)')
    """
    match = _FACTS.fullmatch(text)
    if match is None:
        hint = "write 'FILE: predicate(column, …)'"
        raise DataProblem(Diagnostic("HF505", f"`{text}` does not describe facts", hint=hint))
    return match["file"], match["facts"]


@lru_cache(maxsize=64)
def read_mapping(text: str) -> Mapping:
    """The mapping that a text describes; a description that makes no record is HF505."""
    head, *rest = conjuncts(_with_paths(parse_term(text, "columns", has_strings=True, operators=_operators())))
    shape, entity, columns = _head(head)
    args = entity.args if isinstance(entity, Struct) else ()
    columns |= {f"arg{i + 1}": arg for i, arg in enumerate(args)}
    columns, kinds, optional = _without_marks(columns)
    header, rest = _header(rest)
    conditions = _conditions(rest, columns)
    has_lengths = _take_length(columns)
    for ours, term in columns.items():
        if ours in ("start", "end") and not isinstance(term, Atom | Var):
            raise _problem("expected the name of a column with times", term, "put other names in single quotes")
        _check_column(term)
    return Mapping(
        Record(entity.name, len(args), shape), entity, columns, conditions, kinds, optional, header, has_lengths
    )


def read_fact_mapping(text: str) -> Mapping:
    """The mapping of the columns of a table to the arguments of facts, such as `vessel(mmsi, type, length?)`."""
    head, *rest = conjuncts(_with_paths(parse_term(text, "facts", has_strings=True, operators=_operators())))
    if not isinstance(head, Struct):
        raise _problem("expected a predicate with columns", head, "write `predicate(column, …)`")
    given: dict[str, Term] = {f"arg{i + 1}": arg for i, arg in enumerate(head.args)}
    columns, kinds, optional = _without_marks(given)
    header, rest = _header(rest)
    conditions = _conditions(rest, dict.fromkeys(("arrival", "op", "revision"), head))
    for term in columns.values():
        _check_column(term)
    return Mapping(Record(head.name, len(head.args), "event"), head, columns, conditions, kinds, optional, header)


def _check_column(term: Term) -> None:
    if isinstance(term, Struct) or (isinstance(term, Var) and term.is_anonymous):
        raise _problem("expected the name of a column, a number or a string", term, "put other names in single quotes")


def _operators() -> Operators:
    """The operators of descriptions: those of rules, `position.lat` and `kmh?`."""
    operators = Operators()
    operators.declare(100, "yfx", ".")
    operators.postfix.add("?")
    return operators


def _with_paths(term: Term) -> Term:
    """The term with paths such as `position.lat` as names."""
    if not isinstance(term, Struct):
        return term
    args = tuple(_with_paths(arg) for arg in term.args)
    match term.name, args:
        case ".", (Atom(name=column) | Var(name=column), Atom(name=name) | Var(name=name)):
            return Atom(f"{column}.{name}", term.span)
        case ".", (column_term, Struct(name="?", args=(last,))):
            return Struct("?", (_with_paths(Struct(".", (column_term, last), term.span)),), term.span)
    return Struct(term.name, args, term.span)


class _Marks(NamedTuple):
    columns: dict[str, Term]
    kinds: dict[str, ColumnKind]
    optional: frozenset[str]


def _without_marks(columns: dict[str, Term]) -> _Marks:
    """The columns without kinds and question marks, the kinds, and the columns with a question mark."""
    plain, kinds, optional = dict(columns), dict[str, ColumnKind](), set[str]()
    for ours, term in columns.items():
        match term:
            case Struct(name=":", args=(column, Struct(name="?", args=(kind,)))):
                term, is_optional = Struct(":", (column, kind), term.span), True
            case Struct(name="?", args=(column,)):
                term, is_optional = column, True
            case _:
                is_optional = False
        if is_optional and ours == "start":
            raise _problem("a start cannot be null", columns[ours], "records without a start are set aside")
        match term:
            case Struct(name=":", args=(Atom() | Var() as column, kind)) if ours not in ("start", "end"):
                term, kinds[ours] = column, _kind(column, kind)
        plain[ours] = term
        optional |= {ours} if is_optional else set()
    return _Marks(plain, kinds, frozenset(optional))


def _kind(column: Atom | Var, kind: Term) -> ColumnKind:
    found = next((each for each in KINDS if kind == Atom(each)), None)
    if found is None:
        listed = ", ".join(f"`{column.name}:{each}`" for each in KINDS)
        raise _problem("expected the kind of a column", kind, f"write {listed}")
    return found


def _head(head: Term) -> tuple[Shape, Atom | Struct, dict[str, Term]]:
    """The shape of the record, its event or fluent, and its columns except the arguments."""
    match head:
        case Struct(name="happensAt", args=(Atom() | Struct() as event, time)):
            return "event", event, {"start": time}
        case Struct(name="holdsAt", args=(Struct(name="=", args=(Atom() | Struct() as fluent, value)), time)):
            return "points", fluent, {"start": time, "value": _value(value)}
        case Struct(name="holdsFor", args=(Struct(name="=", args=(Atom() | Struct() as fluent, value)), intervals)):
            return "intervals", fluent, {**_interval(intervals), "value": _value(value)}
    raise _problem("expected `happensAt`, `holdsAt` or `holdsFor`", head, _FORMS)


def _value(term: Term) -> Term:
    """A value: text in quotes is a constant, like the constant of a condition."""
    return Str(term.name, term.span) if isinstance(term, Atom) and _is_in_single_quotes(term) else term


def _is_in_single_quotes(term: Atom | Str) -> bool:
    return term.span is not None and term.span.source.text.startswith("'", term.span.start)


def _interval(term: Term) -> dict[str, Term]:
    match list_items(term):
        case [Struct(name=",", args=(start, end))], rest if rest == EMPTY_LIST:
            return {"start": start, "end": end}
    raise _problem("expected one interval of two columns", term, "write `[(start, end)]`")


def _take_length(columns: dict[str, Term]) -> bool:
    """Whether the end is `start + length`; the column of the end is then that of the lengths."""
    match columns.get("end"):
        case Struct(name="+", args=(start, length)):
            if start != columns["start"]:
                raise _problem(
                    "expected the column of the start before `+`", start, "write `[(start, start + length)]`"
                )
            columns["end"] = length
            return True
    return False


def _header(terms: list[Term]) -> tuple[tuple[str, ...] | None, list[Term]]:
    """The names of the columns of lines without a header, and the other terms."""
    found = [term for term in terms if isinstance(term, Struct) and term.name == "columns"]
    if not found:
        return None, terms
    for column in found[0].args:
        if not isinstance(column, Atom | Var):
            raise _problem("expected the name of a column", column, "put other names in single quotes")
    names = tuple(column.name for column in found[0].args if isinstance(column, Atom | Var))
    return names, [term for term in terms if term is not found[0]]


def _conditions(terms: list[Term], columns: dict[str, Term]) -> list[tuple[Atom | Var, str]]:
    """The conditions after the head; `arrival`, `op` and `revision` are added to the columns."""
    conditions: list[tuple[Atom | Var, str]] = []
    for term in terms:
        match term:
            case Struct(name=("arrival" | "op" | "revision") as name, args=(Atom() | Var() as column,)) if (
                name not in columns
            ):
                columns[name] = column
            case Struct(name="=", args=(Atom() | Var() as column, Atom(name=text))):
                conditions.append((column, text))
            case Struct(name="=", args=(Atom() | Var() as column, Int() | Float() | Str() as constant)):
                conditions.append((column, str(constant.value)))
            case _:
                forms = "`arrival(column)`, `op(column)`, `revision(column)`, `columns(column, …)` or `column=constant`"
                raise _problem(f"expected {forms}", term)
    return conditions


def _problem(message: str, term: Term, hint: str | None = None) -> DataProblem:
    return DataProblem(Diagnostic("HF505", message, term.span, hint))
