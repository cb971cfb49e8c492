"""Operators as text: names of variables, patterns, keys of joins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from holdsfor.columns.tables import Key
from holdsfor.physical.number_columns import numbered_variables
from holdsfor.physical.patterns import ANYTHING, bound_positions, is_plain
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, Var, substitute, variables

__all__ = ["Description", "Wording", "column_name", "is_scan", "join_kind"]

_OF_A_CLAUSE = re.compile(r"(.+)#(\d+)\Z")


@dataclass(frozen=True)
class Description:
    """An operator as text: its name, its subject, its key, and the variables it binds."""

    operator: str
    subject: str = ""
    how: str = ""
    binds: str = ""


@dataclass(frozen=True)
class Wording:
    """The text of variables, patterns and keys; `size_of` is the size of a table of facts as text.

    Variables of unfolded clauses are numbered in order of appearance, so that texts can be compared.
    """

    size_of: Callable[[Key], str]
    numbers: dict[str, int]

    # -- keys ----------------------------------------------------------------------------------------------------------

    def key_of(
        self, patterns: Sequence[Term], bound: set[str], *, has_value: bool = False, is_timed: bool = False
    ) -> str:
        """The key of a join, the columns of its index, and the constants that filter its table.

        Empty if all rows are combined.
        """
        at = {i: column_name(i, len(patterns), has_value=has_value) for i in bound_positions(patterns, bound)}
        keys = {i: column for i, column in at.items() if variables(patterns[i]) and patterns[i] is not ANYTHING}
        wanted = [*(self.show(patterns[i]) for i in keys), *(["time"] if is_timed else [])]
        columns = [*keys.values(), *(["time"] if is_timed else [])]
        fixed = [f"{column} = {self.show(patterns[i])}" for i, column in at.items() if not variables(patterns[i])]
        parts = [f"on {', '.join(wanted)}, index ({', '.join(columns)})"] if wanted else []
        return " ".join([*parts, f"where {', '.join(fixed)}"] if fixed else parts)

    # -- names ---------------------------------------------------------------------------------------------------------

    def event(self, key: Key, patterns: Sequence[Term]) -> str:
        return self.show(Struct(key[0], tuple(patterns)) if patterns else Atom(key[0]))

    def fvp(self, key: Key, patterns: Sequence[Term]) -> str:
        *arguments, value = patterns
        return f"{self.event(key, arguments)}={self.show(value)}"

    def show(self, term: Term) -> str:
        renamed: dict[str, Term] = {name: Var(self.name(name)) for name in variables(term) if _OF_A_CLAUSE.match(name)}
        return show(substitute(term, renamed))

    def name(self, name: str) -> str:
        if numbered := numbered_variables(name):
            return f"number of {','.join(map(self.name, numbered))}"
        match = _OF_A_CLAUSE.match(name)
        if match is None:
            return name
        return match[1] if match[1] == "_" else f"{match[1]}#{self.numbers.setdefault(match[2], len(self.numbers) + 1)}"

    def names(self, names: Iterable[str]) -> str:
        return ", ".join(name for name in map(self.name, names) if name != "_")

    def in_order(self, names: Iterable[str]) -> list[str]:
        """The names of columns: variables before the numbers of instances."""
        return sorted(names, key=lambda name: (len(numbered_variables(name)), name))

    def binds(self, names: Iterable[str]) -> str:
        named = self.names(names)
        return f"binds {named}" if named else ""


def join_kind(key: str, bound: set[str], *, is_timed: bool) -> str:
    """The kind of a join with a table, given its key: a table that is read first is scanned."""
    if not bound and not is_timed:
        return "scan"
    return "join" if key.startswith("on ") else "cross join"


def is_scan(patterns: Sequence[Term], bound: set[str], *, is_timed: bool) -> bool:
    """Whether a table is scanned: it is the first input, with constants and distinct variables."""
    return not bound and not is_timed and is_plain(patterns)


def column_name(position: int, n_patterns: int, *, has_value: bool) -> str:
    """The name of a column of a table: its number, or `value`."""
    return "value" if has_value and position == n_patterns - 1 else str(position + 1)
