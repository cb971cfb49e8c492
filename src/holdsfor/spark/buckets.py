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
from holdsfor.columns.tables import Key, Relation, fluent_table
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.joins import Path, arguments
from holdsfor.physical.patterns import ANYTHING, join
from holdsfor.physical.rows import one_row
from holdsfor.runtime.reports import Report
from holdsfor.runtime.session import Session
from holdsfor.spark.exchange import Group, Layout, constants_of, owners, words_of_constants
from holdsfor.spark.reading import records_of
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import Run
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = ["Bucket"]


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
        run = self.run
        session = Session(
            self.rules.compiled(),
            start=run.start,
            tick=run.tick,
            allen_memory=run.reach,
            goals=self.rules.goal_terms(),
            symbols=symbols,
            components=self.components,
        )
        last = run.queries[-1]
        for group in Group.all_of(table):
            if group.kind == "domain":
                members = [words_of_constants(constants, symbols) for constants in group.constants()]
                session.background.add_members((group.name, group.arity), members)
            elif group.kind in ("event", "fluent"):
                self._insert(session, group)
        if self.ranges_over_sorts:
            session.announce(last)
        session.is_announced = True
        return session.query(last)

    def _insert(self, session: Session, group: Group) -> None:
        """Let a session know records, and what other stages have computed: that has no arrival."""
        key, is_computed = (group.name, group.arity), pc.is_null(group.table["arrival"])
        for table in (group.table.filter(pc.invert(is_computed)), group.table.filter(is_computed)):
            if table.num_rows:
                records = records_of(replace(group, table=table), session.symbols, arriving=self.run.first)
                if records.ends is not None and table["arrival"].null_count:
                    session.insert_computed(key, fluent_table(records.columns, records.starts, records.ends))
                else:
                    session.insert_columns(key, records)

    # -- results -------------------------------------------------------------------------------------------------------

    def _fluents(self, report: Report, bucket: int, symbols: Symbols) -> Iterator[Any]:
        for key, table in report.fluents.items():
            rows = self._owned(("fluent", key), table, bucket, symbols)
            columns = [column[rows] for column in table.keys]
            times = {"start": pa.array(table.starts[rows]), "end": pa.array(table.ends[rows])}
            yield self._answers("fluent", key, columns, times, symbols)

    def _events(self, report: Report, bucket: int, symbols: Symbols) -> Iterator[Any]:
        for key, table in report.events.items():
            rows = self._owned(("event", key), table, bucket, symbols)
            columns = [column[rows] for column in table.columns[:-1]]
            yield self._answers("event", key, columns, {"start": pa.array(table.times[rows])}, symbols)

    def _answers(self, kind: str, key: Key, columns: list[Int64], times: dict[str, Any], symbols: Symbols) -> Any:
        n = len(times["start"])
        constants = [constants_of(column, symbols) for column in columns]
        rows = self.layout.rows(n, kind, *key, constants, **times)
        ids, first = dense_ids(columns, n)
        terms = [symbols.terms(column[first]) for column in columns]
        instances: list[tuple[Term, ...]] = list(zip(*terms, strict=True)) if terms else [()] * len(first)
        written = [column.take(pa.array(ids)) for column in _written(kind, key, instances)]
        return pa.RecordBatch.from_arrays([*rows.columns, *written], schema=self.layout.answer_schema)

    def _owned(self, what: tuple[str, Key], table: Relation, bucket: int, symbols: Symbols) -> Int64:
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
