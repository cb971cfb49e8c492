"""The members of dynamic domains and of sorts in records and results.

A constant is a member while a record with the constant has arrived and is not retracted. Retractions do not affect
records that were dropped, so the members of such records stay. Members of records that are no longer in the window are
evicted if no rule needs them (`analysis/domain_uses.py`) and nothing in the state refers to them.

A session that computes some components may have evicted a member when another session derives a result about it, long
after the last record. The members that such a result implies return with the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from holdsfor.analysis.names import domain_entities, is_fvp_term
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.sorts import Sorts
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.fvp_shape import distinct_variables
from holdsfor.physical.patterns import build, join
from holdsfor.physical.rows import one_row
from holdsfor.runtime.background import Background
from holdsfor.syntax.terms import Struct, Term, name_and_arity, variables

__all__ = ["Members", "Mentioned", "distinct_positions", "domain_sources"]

Source: TypeAlias = tuple[bool, Key, tuple[Term, ...], Term]
"""An entity whose rows mention members: whether it is an FVP, its key, its columns, and the member."""

_ROOM = 10_000  # members of earlier records that are kept without a search
_FEW_ROWS = 256  # with members that may be repeated


@dataclass(frozen=True)
class Mentioned:
    """Records of input events and input fluents, or results, by name."""

    events: dict[Key, PointTable]
    fluents: dict[Key, FluentTable]


class Members:
    """Fills the dynamic domains of the background knowledge, and sorts if rules range over them, from records.

    `version` grows whenever a sort may have changed. `lasting` are the members of records that are no longer stored,
    and of results of other sessions; the members of `kept_domains` among them are kept for ever. A new member of
    another domain changes no answer by itself: only records and results that mention it do. `n_without_effect` counts
    the additions of such members.
    """

    def __init__(
        self,
        compiled: Compiled,
        background: Background,
        symbols: Symbols,
        sorts: Callable[[], Sorts] | None,
        kept_domains: Collection[Key],
    ) -> None:
        self.background = background
        self.symbols = symbols
        self.version = 0
        self._sorts = sorts
        self._sources = domain_sources(compiled)
        implied = (_source(*pair) for pair in compiled.domain_uses.implied)
        self._implied = [source for source in implied if name_and_arity(source[-1]) not in kept_domains]
        self.lasting: dict[Key, list[Int64]] = {}
        self.kept_domains = kept_domains
        self.n_without_effect = 0
        self._n_in_use = 0  # evictable members after the last `evict`

    @property
    def is_needed(self) -> bool:
        """Whether any result depends on the constants of records."""
        return bool(self._sources) or self._sorts is not None

    @property
    def may_change_answers(self) -> bool:
        """Whether a new member, or one that is gone, may change answers by itself."""
        domains = {name_and_arity(domain) for *_, domain in self._sources}
        return self._sorts is not None or not domains.isdisjoint(self.kept_domains)

    def has_new(self, mentioned: Mentioned) -> bool:
        """Whether records have constants that are not members yet, and may change answers; sorts always may."""
        if self._sorts is not None:
            return True
        found = self._found(mentioned, self._sources)
        kept = ((domain, columns) for domain, columns in found if domain in self.kept_domains)
        return any(self.background.has_new_members(domain, columns) for domain, columns in kept)

    def add(self, mentioned: Mentioned) -> int:
        """Add the constants of records; return the number of new members of domains."""
        fresh: set[tuple[int, ...]] = set()
        for domain, columns in self._found(mentioned, self._sources):
            new = self.background.add_members(domain, columns)
            self.n_without_effect += bool(new) and domain not in self.kept_domains
            fresh.update(zip(*(column.tolist() for column in new), strict=True))
        self._mention(mentioned)
        return len(fresh)

    def keep(self, mentioned: Mentioned) -> None:
        """Make the constants of records permanent members."""
        for domain, columns in self._found(mentioned, self._sources):
            self._keep(domain, columns)
        self._mention(mentioned, is_lasting=True)

    def keep_implied(self, results: Mentioned) -> None:
        """Add the members that results of other sessions imply, until the state does not refer to them any more."""
        for domain, columns in self._found(results, self._implied):
            self.n_without_effect += bool(self.background.add_members(domain, columns))
            self._keep(domain, columns)

    def _keep(self, domain: Key, columns: list[Int64]) -> None:
        parts = [self.lasting[domain], columns] if domain in self.lasting else [columns]
        together = concatenate_columns(parts)
        first = dense_ids(together, len(together[0]))[1]
        self.lasting[domain] = [column[first] for column in together]

    def replace(self, mentioned: Mentioned) -> None:
        """Replace all members by the constants of records, except the permanent ones."""
        found: dict[Key, list[list[Int64]]] = {domain: [] for domain in self.background.domains}
        for domain, columns in (*self.lasting.items(), *self._found(mentioned, self._sources)):
            found[domain].append(columns)
        for domain, parts in found.items():
            self.background.keep_members(domain, list(concatenate_columns(parts, width=domain[1])))
        if self._sorts is not None:
            self._sorts().clear_input()
        self._mention(mentioned)

    @property
    def _n_evictable(self) -> int:
        """The number of members that may be evicted when nothing refers to them."""
        return sum(len(columns[0]) for domain, columns in self.lasting.items() if domain not in self.kept_domains)

    @property
    def has_many_evictable(self) -> bool:
        """Whether members of earlier records are worth a search for those that nothing refers to."""
        return self._n_evictable > 2 * self._n_in_use + _ROOM

    def evict(self, is_in_use: Callable[[Int64], Mask], mentioned: Mentioned) -> None:
        """Drop the members that are not in use and that no record mentions, except those of kept domains.

        `is_in_use` is a mask of the words that the state refers to.
        """
        for domain, columns in self.lasting.items():
            if domain not in self.kept_domains:
                rows = np.logical_and.reduce([is_in_use(column) for column in columns]).nonzero()[0]
                self.lasting[domain] = [column[rows] for column in columns]
        self._n_in_use = self._n_evictable
        self.replace(mentioned)

    def _found(self, mentioned: Mentioned, sources: Sequence[Source]) -> Iterator[tuple[Key, list[Int64]]]:
        """The members of each domain in records or results, some of them repeatedly."""
        found: dict[Key, list[list[Int64]]] = {}
        for domain, columns in self._found_in_each(mentioned, sources):
            found.setdefault(domain, []).append(columns)
        for domain, parts in found.items():
            yield domain, parts[0] if len(parts) == 1 else list(concatenate_columns(parts))

    def _found_in_each(self, mentioned: Mentioned, sources: Sequence[Source]) -> Iterator[tuple[Key, list[Int64]]]:
        """The members of domains in the rows of each name."""
        for is_fvp, key, patterns, domain in sources:
            table = (mentioned.fluents if is_fvp else mentioned.events).get(key)
            if table is None or table.n == 0 or not isinstance(domain, Struct):
                continue
            positions = distinct_positions(patterns, domain)
            if positions is not None:
                yield name_and_arity(domain), self._distinct(table, positions)
                continue
            rows, _ = join(one_row(), table, patterns, self.symbols)
            if rows.n and set(variables(domain)) <= set(rows.columns):
                yield name_and_arity(domain), [build(pattern, rows, self.symbols) for pattern in domain.args]

    def _distinct(self, table: PointTable | FluentTable, positions: tuple[int, ...]) -> list[Int64]:
        """The words at the positions, each combination once, unless there are few rows."""
        if not table.is_numbered(positions):
            words = [table.column(position) for position in positions]
            if table.n < _FEW_ROWS:
                return words
            first = dense_ids(words, table.n)[1]
            return [column[first] for column in words]
        instances = self.symbols.instances
        numbers = table.numbers(positions, instances)
        is_there = np.zeros(instances.count(len(positions)), dtype=bool)
        is_there[numbers] = True
        return list(instances.words(len(positions), is_there.nonzero()[0]))

    def _mention(self, mentioned: Mentioned, *, is_lasting: bool = False) -> None:
        """Add the constants of records to the sorts over which a rule may range."""
        if self._sorts is None:
            return
        sorts = self._sorts()
        self.version += 1
        for key, points in mentioned.events.items():
            for i, column in enumerate(points.columns[:-1]):
                sorts.mention_at((*key, i), self.symbols.terms(np.unique(column)), is_lasting=is_lasting)
        for key, table in mentioned.fluents.items():
            for i, column in enumerate(table.keys):
                place = (*key, "value" if i == key[1] else i)
                sorts.mention_at(place, self.symbols.terms(np.unique(column)), is_lasting=is_lasting)


def distinct_positions(patterns: Sequence[Term], domain: Struct) -> tuple[int, ...] | None:
    """The positions of the arguments of a domain among columns, if all arguments and columns are distinct variables."""
    columns, arguments = distinct_variables(patterns), distinct_variables(domain.args)
    if columns is None or arguments is None or not set(arguments) <= set(columns):
        return None
    return tuple(columns.index(name) for name in arguments)


def domain_sources(compiled: Compiled) -> list[Source]:
    """The input entities that fill dynamic domains."""
    names = compiled.names
    sources = (_source(*pair) for pair in domain_entities(compiled.description))
    return [each for each in sources if each[1] in (names.input_fluents if each[0] else names.input_events)]


def _source(entity: Term, domain: Term) -> Source:
    if is_fvp_term(entity):
        key, arguments = _named(entity.args[0])
        return True, key, (*arguments, entity.args[1]), domain
    return False, *_named(entity), domain


def _named(term: Term) -> tuple[Key, tuple[Term, ...]]:
    return name_and_arity(term), term.args if isinstance(term, Struct) else ()
