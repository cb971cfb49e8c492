"""Rules compared with data before a run: names, shapes and constants that one of them has and the other lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from holdsfor.analysis.names import Names
from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.errors import Diagnostic, did_you_mean
from holdsfor.sources.join_comparison import unmatched_joins
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.set_aside_reasons import ReasonCounts
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Fvp, Happens, PointRule, Test, flat_conditions
from holdsfor.syntax.terms import Struct, Term, Var, is_ground, name_and_arity

__all__ = ["compare_with_input", "unmatched"]

_MOST_VALUES = 1_000
_SHOWN = 5


def compare_with_input(compiled: Compiled, reading: ColumnReading, symbols: Symbols) -> Iterator[Diagnostic]:
    """The differences between the rules and the records of an input, as warnings."""
    names = compiled.names
    yield from _missing_records(names, reading)
    yield from _unused_names(names, reading)
    yield from _misfits(reading)
    yield from unmatched(compiled, reading, symbols)


def unmatched(compiled: Compiled, reading: ColumnReading, symbols: Symbols | None) -> Iterator[Diagnostic]:
    """The constants of rules that never occur in their place, and the joins of which one side never matches.

    Of records that are not in the memory of this process, only the types of joins are compared.
    """
    names = compiled.names
    if symbols is None or not (reading.events or reading.fluents):
        yield from reading.kinds.mismatches(names.joins)
        return
    yield from _missing_constants(names, reading, symbols)
    yield from _missing_tests(compiled.description.point_rules, reading, symbols)
    yield from unmatched_joins(compiled, reading, symbols)


def _missing_records(names: Names, reading: ColumnReading) -> Iterator[Diagnostic]:
    """The events and fluents of the rules without records."""
    given = {name for name, _ in (*reading.events, *reading.fluents)}
    given |= {_name(fact.entity.fluent if isinstance(fact.entity, Fvp) else fact.entity) for fact in names.input_facts}
    refused = {each.text.removeprefix("-").partition("|")[0].strip() for each in reading.set_aside}
    for record in names.records:
        if record.name not in given and record.name not in refused:
            hint = did_you_mean(record.name, reading.unused) or _listed("the input has", [*given, *reading.unused])
            yield Diagnostic("HF322", f"the input has no records of `{record.name}/{record.arity}`", hint=hint)


def _unused_names(names: Names, reading: ColumnReading) -> Iterator[Diagnostic]:
    """The names of the input that no rule uses and that resemble a name of the rules."""
    known = [record.name for record in names.records]
    for name, n in reading.unused.items():
        hint = did_you_mean(name, known)
        if hint is not None:
            yield Diagnostic("HF322", f"no rule uses `{name}`, which has {n:,} record{'s' if n > 1 else ''}", hint=hint)


def _misfits(reading: ColumnReading) -> Iterator[Diagnostic]:
    """The reasons for which records do not fit, such as another number of arguments."""
    counts = ReasonCounts()
    counts.add(reading.set_aside)
    for group, (n, first) in counts.groups.items():
        message = f"{n:,} record{'s do' if n > 1 else ' does'} not fit: {group}"
        yield Diagnostic("HF323", message, hint=f"the first is line {first.line}: `{first.text}`", file=first.file)


def _missing_constants(names: Names, reading: ColumnReading, symbols: Symbols) -> Iterator[Diagnostic]:
    """The constants that rules expect in a place of the input where they never occur."""
    for pattern in dict.fromkeys((*names.used_events, *names.used_fvps)):
        entity, value = _parts(pattern)
        key = name_and_arity(entity)
        records = (reading.events if value is None else reading.fluents).get(key)
        if records is None or not len(records):
            continue
        args = entity.args if isinstance(entity, Struct) else ()
        for at, term in enumerate((*args, *(() if value is None else (value,)))):
            if is_ground(term) and not (records.columns[at] == symbols.word(term)).any():
                yield _never(
                    pattern, term, "the value" if at == len(args) else f"argument {at + 1}", records, at, symbols
                )


def _missing_tests(rules: Iterable[PointRule], reading: ColumnReading, symbols: Symbols) -> Iterator[Diagnostic]:
    """The constants that rules compare with an argument of an event, such as `Kind = long`, where they never occur."""
    for rule in rules:
        conditions = [condition for condition, _ in flat_conditions(rule.body)]
        events = [each.event for each in conditions if isinstance(each, Happens)]
        for variable, constant in (
            pair for each in conditions if isinstance(each, Test) for pair in _equation(each.goal)
        ):
            for event in events:
                records = reading.events.get(name_and_arity(event))
                args = event.args if isinstance(event, Struct) else ()
                if records is None or not len(records) or variable not in args:
                    continue
                at = args.index(variable)
                if not (records.columns[at] == symbols.word(constant)).any():
                    yield _never(event, constant, f"argument {at + 1}", records, at, symbols)


def _equation(goal: Term) -> Iterator[tuple[Var, Term]]:
    """The variable and the constant of an equation."""
    match goal:
        case Struct(name="=" | "==", args=(Var() as variable, constant) | (constant, Var() as variable)):
            if is_ground(constant):
                yield variable, constant


def _never(pattern: Term, term: Term, place: str, records: Records, at: int, symbols: Symbols) -> Diagnostic:
    words = np.unique(records.columns[at])
    values = sorted(show(each) for each in symbols.terms(words[:_MOST_VALUES]))
    hint = did_you_mean(show(term), values) or _listed("the input has", values)
    message = f"`{show(term)}` never occurs as {place} of `{_name(_parts(pattern)[0])}` in the input"
    return Diagnostic("HF324", message, None if isinstance(term, Var) else term.span, hint)


def _parts(pattern: Term) -> tuple[Term, Term | None]:
    """The fluent and the value of an FVP, or an event."""
    if isinstance(pattern, Struct) and pattern.name == "=" and len(pattern.args) == 2:
        return pattern.args[0], pattern.args[1]
    return pattern, None


def _name(entity: Term) -> str:
    return name_and_arity(entity)[0]


def _listed(what: str, names: list[str]) -> str | None:
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return f"{what} {shown}{' and others' if len(names) > _SHOWN else ''}" if names else None
