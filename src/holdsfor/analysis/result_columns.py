"""The tables of results: one for each output fluent and output event, with a column for each argument.

A column has the name of the input column that its constants come from, else `arg1`, `arg2` and so on. Two columns of
one name are numbered (`vessel_1`, `vessel_2`); a name that is taken gets an underscore at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from holdsfor.analysis.names import Names
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.place_types import InputColumn, PlaceTypes, place_types
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType
from holdsfor.errors import did_you_mean
from holdsfor.syntax.terms import Struct, Term, name_and_arity

__all__ = ["ColumnType", "ResultColumns", "TableColumns", "find_table", "result_columns"]

Key = tuple[str, int]
ColumnType = Literal["int64", "float64", "text"]

_OF_FLUENTS = ("value", "start", "end", "query_time", "op")
_OF_EVENTS = ("time", "query_time", "op")


@dataclass(frozen=True)
class TableColumns:
    """The table of an output fluent or event: its name, and the names and types of its arguments and its value.

    `value` is None for an event. `mixed` are the columns of text that may also have numbers.
    """

    table: str
    key: Key
    arguments: tuple[tuple[str, ColumnType], ...]
    value: ColumnType | None
    mixed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ResultColumns:
    """The tables of the output fluents and events of rules, by name and arity."""

    fluents: Mapping[Key, TableColumns]
    events: Mapping[Key, TableColumns]

    def __iter__(self) -> Iterator[TableColumns]:
        return iter((*self.fluents.values(), *self.events.values()))


def result_columns(rules: Compiled, given: Mapping[Place, InputColumn]) -> ResultColumns:
    """The tables of the output that rules report, from the columns of the input; no record is read.

    The selection does not change the name and the columns of a table.
    """
    names, selection = rules.names, rules.selection
    found = place_types(rules.description, given)
    fluents = _keys(pattern.args[0] for pattern in (*names.simple, *names.static) if isinstance(pattern, Struct))
    events = _keys(names.output_events)
    titles = _table_names([*fluents, *events])
    if selection is not None:
        fluents = [key for key in fluents if selection.of_name(key, is_fluent=True)]
        events = [key for key in events if selection.of_name(key, is_fluent=False)]
    return ResultColumns(
        {key: _columns(titles[key], key, found, is_fluent=True) for key in fluents},
        {key: _columns(titles[key], key, found, is_fluent=False) for key in events},
    )


def find_table(columns: ResultColumns, names: Names, name: str) -> TableColumns:
    """The table of a fluent or event by its name, `name/arity` or table name; any other name is a `KeyError`."""
    found = [each for each in columns if name in (each.table, each.key[0], f"{each.key[0]}/{each.key[1]}")]
    exact = [each for each in found if name == each.table] or found
    if len(exact) == 1:
        return exact[0]
    if exact:
        choices = " or ".join(f"`{each.key[0]}/{each.key[1]}`" for each in exact)
        raise KeyError(f"several fluents and events have the name `{name}`; write {choices}")
    same = [key for key in (*names.fluents, *names.events) if name in (key[0], f"{key[0]}/{key[1]}")]
    if any(key in names.input_events or key in names.input_fluents for key in same):
        raise KeyError(f"`{name}` is input, and only results have tables")
    if same:
        shown = ", ".join(f"`{each.table}`" for each in columns)
        raise KeyError(f"`{name}` is not among the output that is shown: {shown}")
    known = [each.table for each in columns]
    hint = did_you_mean(name, known) or f"the results are {', '.join(f'`{each}`' for each in known)}"
    raise KeyError(f"no rule defines `{name}`; {hint}")


def _keys(terms: Iterable[Term]) -> list[Key]:
    return sorted({name_and_arity(term) for term in terms})


def _columns(table: str, key: Key, found: PlaceTypes, *, is_fluent: bool) -> TableColumns:
    places: list[Place] = [(*key, i) for i in range(key[1])]
    named = [found.names.get(place, f"arg{i + 1}") for i, place in enumerate(places)]
    types = [found.types.get(place, ConstantType.NOTHING) for place in places]
    arguments = _distinct(named, _OF_FLUENTS if is_fluent else _OF_EVENTS)
    of_value = found.types.get((*key, "value"), ConstantType.NOTHING)
    value = _column_type(of_value) if is_fluent else None
    mixed = {name for name, each in zip(arguments, types, strict=True) if _is_mixed(each)}
    mixed |= {"value"} if is_fluent and _is_mixed(of_value) else set()
    return TableColumns(
        table, key, tuple(zip(arguments, map(_column_type, types), strict=True)), value, frozenset(mixed)
    )


def _is_mixed(types: ConstantType) -> bool:
    return bool(types & ConstantType.NUMBER) and bool(types & ConstantType.TEXT)


def _column_type(types: ConstantType) -> ColumnType:
    """The type of a column with constants of these types; a column that may have texts is text."""
    if types == ConstantType.INTEGER:
        return "int64"
    return "float64" if types in (ConstantType.FLOAT, ConstantType.NUMBER) else "text"


def _distinct(names: Sequence[str], reserved: Collection[str]) -> list[str]:
    """The names, with numbers where one occurs several times, and underscores where a name is taken.

    >>> _distinct(["vessel", "vessel", "start"], ["start"])
    ['vessel_1', 'vessel_2', 'start_']
    """
    n_uses, n_before = Counter(names), Counter[str]()
    found: list[str] = []
    for name in names:
        n_before[name] += 1
        found.append(f"{name}_{n_before[name]}" if n_uses[name] > 1 else name)
    single = {name for name in found if n_uses[name]}
    return _untaken(found, reserved, single)


def _untaken(names: Sequence[str], reserved: Collection[str], single: Collection[str]) -> list[str]:
    """Each name, with as many underscores at its end as make it different, in any case of letters, from all others."""
    taken = {name.lower() for name in reserved}
    found: dict[int, str] = {}
    for i in sorted(range(len(names)), key=lambda i: names[i] not in single):
        name = names[i]
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        found[i] = name
    return [found[i] for i in range(len(names))]


def _table_names(keys: Sequence[Key]) -> dict[Key, str]:
    """The names of tables: those of fluents and events, with the arity where several have one name."""
    n_uses = Counter(name for name, _ in keys)
    names = [f"{name}_{arity}" if n_uses[name] > 1 else name for name, arity in keys]
    single = [name for name in names if n_uses[name] == 1]
    return dict(zip(keys, _untaken(names, (), single), strict=True))
