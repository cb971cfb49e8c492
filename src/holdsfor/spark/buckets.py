"""A bucket of a stage: all rows that were sent to it, one call of the engine, and the results that it owns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.analysis.dependencies import Vertex
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.joins import Path, arguments
from holdsfor.physical.patterns import ANYTHING, join
from holdsfor.physical.rows import one_row
from holdsfor.runtime.reports import Report
from holdsfor.runtime.session import Session
from holdsfor.runtime.windows import settled_report
from holdsfor.spark.exchange import Group, Layout, constants_of, owners, words_of_constants
from holdsfor.spark.reading import records_of
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import Run
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = ["Bucket", "table_of"]


@dataclass(frozen=True)
class Bucket:
    """Evaluates one stage for one bucket after another.

    `paths` are those of the stage by the label of what goes by them; a stage in one place has none and owns everything.
    """

    rules: Rules
    run: Run
    layout: Layout
    components: tuple[int, ...]
    paths: dict[str, Path]
    n_buckets: int
    ranges_over_sorts: bool

    def __call__(self, bucket: int, table: Any) -> Any:
        """The results of a bucket."""
        symbols = Symbols()
        report = self._evaluated(table, symbols)
        batches = list(chain(self._fluents(report, bucket, symbols), self._events(report, bucket, symbols)))
        return pa.Table.from_batches(batches, self.layout.answer_schema)

    def _evaluated(self, table: Any, symbols: Symbols) -> Report:
        """What all query times settle: windows make no difference to that, unless rules ask for the query time."""
        session = self.session(table, symbols)
        session.window = self.run.window if session.asks_for_the_query_time else None
        return settled_report(session, self.run.queries)

    def session(self, table: Any, symbols: Symbols) -> Session:
        """A session of the stage's components that knows all rows of the bucket."""
        run = self.run
        session = Session(
            self.rules.compiled(),
            start=run.start,
            tick=run.tick,
            window=run.window,
            allen_memory=run.reach,
            goals=self.rules.goal_terms(),
            symbols=symbols,
            components=self.components,
        )
        for group in Group.all_of(table):
            if group.kind == "domain":
                members = [words_of_constants(constants, symbols) for constants in group.constants()]
                session.background.add_members((group.name, group.arity), members)
            elif group.kind in ("event", "fluent"):
                is_computed = pc.is_null(group.table["arrival"])
                self.insert(session, replace(group, table=group.table.filter(pc.invert(is_computed))))
                self.insert_computed(session, replace(group, table=group.table.filter(is_computed)))
        if self.ranges_over_sorts:
            session.announce(run.queries[-1])
        session.is_announced = True
        return session

    def insert(self, session: Session, group: Group) -> None:
        """Let a session know records: they have been judged, and those that a query time sees are there at once."""
        if group.table.num_rows:
            records = records_of(group, session.symbols)
            records.arrive(self.run.queries[-1])
            session.insert_columns((group.name, group.arity), records)

    def insert_computed(self, session: Session, group: Group) -> None:
        """Let a session know what other stages have computed: that has no arrival."""
        if group.table.num_rows:
            session.insert_computed((group.name, group.arity), table_of(group, session.symbols))

    # -- results -------------------------------------------------------------------------------------------------------

    def _fluents(self, report: Report, bucket: int, symbols: Symbols) -> Iterator[Any]:
        for key, table in report.fluents.items():
            rows = self.owned(("fluent", key), table, bucket, symbols)
            columns = [column[rows] for column in table.keys]
            times = {"start": pa.array(table.starts[rows]), "end": pa.array(table.ends[rows])}
            yield self.answers("fluent", key, columns, times, symbols)

    def _events(self, report: Report, bucket: int, symbols: Symbols) -> Iterator[Any]:
        for key, table in report.events.items():
            rows = self.owned(("event", key), table, bucket, symbols)
            columns = [column[rows] for column in table.columns[:-1]]
            yield self.answers("event", key, columns, {"start": pa.array(table.times[rows])}, symbols)

    def answers(self, kind: str, key: Key, columns: list[Int64], times: dict[str, Any], symbols: Symbols) -> Any:
        n = len(times["start"])
        constants = [constants_of(column, symbols) for column in columns]
        rows = self.layout.rows(n, kind, *key, constants, **times)
        ids, first = dense_ids(columns, n)
        terms = [symbols.terms(column[first]) for column in columns]
        instances: list[tuple[Term, ...]] = list(zip(*terms, strict=True)) if terms else [()] * len(first)
        written = [column.take(pa.array(ids)) for column in _written(kind, key, instances)]
        told = [*rows.columns, *written]
        more = [times[name] for name in self.layout.answer_schema.names[len(told) :]]
        return pa.RecordBatch.from_arrays([*told, *more], schema=self.layout.answer_schema)

    def owned(self, what: tuple[str, Key], table: Relation, bucket: int, symbols: Symbols) -> Int64:
        """The rows of a table that this bucket owns."""
        if not self.paths:
            return np.arange(table.n, dtype=np.int64)
        kept: list[Int64] = []
        for vertex in self._vertices(what):
            patterns, name = _by_path(vertex, self.paths[vertex.label])
            found, rows = join(one_row(), table, patterns, symbols)
            own = owners(constants_of(found.columns[name], symbols), self.n_buckets) == bucket
            kept.append(rows[own])
        return np.unique(np.concatenate(kept))

    def _vertices(self, what: tuple[str, Key]) -> list[Vertex]:
        """The vertices that the stage computes of a name."""
        kind, key = what
        graph = self.rules.compiled().graph
        kinds = ("event",) if kind == "event" else ("simple", "static")
        return [v for v in graph.vertices if v.kind in kinds and v.label in self.paths and _key(v) == key]


def table_of(group: Group, symbols: Symbols) -> FluentTable | PointTable:
    """Rows that other stages have computed as a table; a row that came in two ways is there twice."""
    columns = [words_of_constants(constants, symbols) for constants in group.constants()]
    n = group.table.num_rows
    if group.kind == "event":
        return PointTable((*columns, group.times("start")), n)
    return FluentTable((*columns, group.times("start"), group.times("end")), n)


def _key(vertex: Vertex) -> Key:
    named = vertex.pattern if vertex.kind == "event" else vertex.fluent
    return (named.name, len(arguments(vertex.pattern))) if isinstance(named, Struct | Atom) else ("", 0)


def _by_path(vertex: Vertex, path: Path) -> tuple[list[Term], str]:
    """The columns of a vertex as patterns with a variable of its own at every open place; one stands at the path."""

    def opened(term: Term, here: Path) -> Term:
        if here == path:
            return Var("#key")
        if isinstance(term, Struct):
            return Struct(term.name, tuple(opened(inner, (*here, i)) for i, inner in enumerate(term.args)))
        if isinstance(term, Var):
            return Var(f"#{here}") if len(here) > 1 else ANYTHING
        return term

    columns = arguments(vertex.pattern)
    patterns = [opened(argument, (i,)) for i, argument in enumerate(columns)]
    return (patterns if vertex.kind == "event" else [*patterns, opened(vertex.value, (len(columns),))]), "#key"


def _written(kind: str, key: Key, instances: list[tuple[Term, ...]]) -> list[Any]:
    """Results as people read them: as a whole, their arguments and their value."""
    name, arity = key
    shown: list[str] = []
    for row in instances:
        named = Struct(name, row[:arity]) if arity else Atom(name)
        shown.append(show(Struct("=", (named, row[-1])) if kind == "fluent" else named))
    args = [[_text(term) for term in row[:arity]] for row in instances]
    values = [_text(row[-1]) if kind == "fluent" else None for row in instances]
    return [pa.array(shown, pa.string()), pa.array(args, pa.list_(pa.string())), pa.array(values, pa.string())]


def _text(term: Term) -> str:
    return term.name if isinstance(term, Atom) else show(term)
