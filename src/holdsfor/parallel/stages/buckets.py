"""A bucket of a stage: its facts, one run of the engine, and the results for the keys that the bucket owns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from holdsfor.analysis.dependencies import Vertex
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.distribution.joins import Path, arguments, term_at
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import PENDING, Facts, Load, SymbolHashes, Texts, fault_facts, owners
from holdsfor.parallel.exchange.retractions import operations_of
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import COUNTED, RunSchedule
from holdsfor.parallel.stages.kind_facts import check_joins
from holdsfor.physical.patterns import ANYTHING, join
from holdsfor.physical.rows import one_row
from holdsfor.runtime.cuts import dated_cuts
from holdsfor.runtime.delays import counted_pending
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.reports.shown_rows import ShownRows
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import settled_report
from holdsfor.sources.reading import Operations
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = ["Bucket", "shown_facts"]

_ROUTED_TIMES = ("start", "end", "true_start", "known_from", "known_until")
"""The times of a result that later stages need; the others are for reports."""


@dataclass(frozen=True)
class Bucket:
    """Evaluates one stage for one bucket after another.

    `paths` are the paths of the stage by the label of the event or FVP. A stage in one bucket has no paths and owns all
    results. `onward` routes results to later stages.
    """

    rules: Rules
    run: RunSchedule
    destination: Destination
    components: tuple[int, ...]
    paths: dict[str, Path]
    ranges_over_sorts: bool
    onward: Router

    @property
    def is_last(self) -> bool:
        """Whether there is no later stage."""
        return not self.onward.destinations

    def evaluated(
        self, bucket: int, load: Load, texts: Texts, prepared: PreparedRules | None = None
    ) -> Iterator[ShuffleBlock]:
        """The results and counts of a bucket, as shuffle blocks.

        `texts` are those of the symbols of the load; `prepared` rules must have the same symbols.
        """
        check_joins(load.facts, self.rules.compiled().names)
        session = self._session(load, prepared)
        results = chain(self.results(session, bucket, texts), self.cuts(session))
        yield from (ShuffleBlock(NO_STAGE, (0,), 1, facts) for facts in load.facts if facts.kind in COUNTED)
        yield from self._shuffle_blocks(results, texts)
        yield from (ShuffleBlock(NO_STAGE, (0,), 1, facts) for facts in fault_facts(session.faults.unreported()))
        yield from self._pending(session, bucket, texts)

    def _pending(self, session: EngineSession, bucket: int, texts: Texts) -> Iterator[ShuffleBlock]:
        """The numbers of delayed effects that are pending at the end, of sources that this bucket owns."""
        for delay, set_up in session.pending_effects():
            sources = PointTable((*set_up.sources, set_up.times), set_up.rows.n)
            is_owned = np.zeros(set_up.rows.n, dtype=bool)
            is_owned[self.owned(("fluent", delay.key), sources, bucket, texts)] = True
            if is_owned.any():
                found = counted_pending(delay, set_up.take(is_owned))
                yield ShuffleBlock(NO_STAGE, (0,), 1, Facts(PENDING, found.fluent, 0, found.n), found.first_due)

    def _session(self, load: Load, prepared: PreparedRules | None) -> EngineSession:
        """An engine session with the components of the stage and the facts of the bucket."""
        run = self.run
        session = EngineSession(
            self.rules.compiled(),
            start=run.start,
            end=run.end,
            tick=run.tick,
            window=run.window,
            allen_memory=run.reach,
            goals=self.rules.goal_terms(),
            symbols=load.symbols,
            components=self.components,
            inserts_input_facts=False,
            prepared=prepared,
        )
        session.keeps_cuts = not self.is_last and any(map(_may_be_cut, load.facts))
        for facts in load.facts:
            _insert(session, facts)
        if self.ranges_over_sorts:
            session.announce(run.queries)
        session.expect(run.queries)
        session.state.is_announced = True
        return session

    # -- results -------------------------------------------------------------------------------------------------------

    def results(self, session: EngineSession, bucket: int, texts: Texts) -> Iterator[Facts]:
        """The settled results. They do not depend on windows, unless rules use the query time."""
        session.window = self.run.window if session.rules.uses_query_time else None
        report = settled_report(session, self.run.queries, self.run.last)
        for key, table in report.fluents.items():
            rows = self.owned(("fluent", key), table, bucket, texts)
            times = {"start": table.starts[rows], "end": table.ends[rows]}
            yield Facts("fluent", *key, len(rows), [column[rows] for column in table.keys], times)
        for key, points in report.events.items():
            rows = self.owned(("event", key), points, bucket, texts)
            columns = [column[rows] for column in points.columns[:-1]]
            yield Facts("event", *key, len(rows), columns, {"start": points.times[rows]})

    def cuts(self, session: EngineSession) -> Iterator[Facts]:
        """For later stages: the true starts of results that a window cuts."""
        for key, found in session.state.cuts.items():
            table, known_from, known_until = dated_cuts(found)
            times = {"start": table.starts, "true_start": table.ends}
            times |= {"known_from": known_from, "known_until": known_until}
            yield Facts("fluent", *key, table.n, list(table.keys), times)

    def _shuffle_blocks(self, results: Iterable[Facts], texts: Texts) -> Iterator[ShuffleBlock]:
        """Results as output, if they are shown, and for the later stages that read them."""
        selection = self.rules.compiled().selection
        shown = None if selection is None else ShownRows(selection, texts.symbols)
        for facts in results:
            if facts.kind not in ("event", "fluent"):
                yield ShuffleBlock(NO_STAGE, (0,), 1, facts)
            elif facts.n:
                if "true_start" not in facts.times:
                    yield from shown_facts(facts, facts.kind, shown)
                times = {name: facts.times[name] for name in _ROUTED_TIMES if name in facts.times}
                yield from self.onward.shuffle_blocks(replace(facts, times=times), texts)

    def owned(self, what: tuple[str, Key], table: Relation, bucket: int, texts: SymbolHashes) -> Int64:
        """The rows of a table that this bucket owns."""
        if not self.paths:
            return np.arange(table.n, dtype=np.int64)
        is_owned = np.zeros(table.n, dtype=bool)
        for rows, keys in self.keyed_rows(what, table, texts):
            is_owned[rows[owners(keys, self.destination.n_buckets, texts) == bucket]] = True
        return np.flatnonzero(is_owned)

    def keyed_rows(self, what: tuple[str, Key], table: Relation, texts: SymbolHashes) -> Iterator[tuple[Int64, Int64]]:
        """The rows of a table that match an event or FVP of the stage, with the keys of the rows.

        The table has all columns of words, or only the first ones.
        """
        for vertex in self._vertices(what):
            patterns, name = _by_path(vertex, self.paths[vertex.label])
            found, rows = join(one_row(), table, patterns[: len(table.columns)], texts.symbols)
            yield rows, found.columns[name]

    def key_terms(self, key: Key, head: Term) -> set[Term | None]:
        """The terms at the key of a fluent in the head of a rule."""
        return {term_at(head, self.paths[vertex.label]) for vertex in self._vertices(("fluent", key))}

    def key_paths(self, what: tuple[str, Key]) -> tuple[Path, ...]:
        """The paths to the keys of an event or fluent that the stage computes."""
        return tuple(self.paths[vertex.label] for vertex in self._vertices(what))

    def _vertices(self, what: tuple[str, Key]) -> list[Vertex]:
        """The vertices of a name that the stage computes."""
        kind, key = what
        graph = self.rules.compiled().graph
        kinds = ("event",) if kind == "event" else ("simple", "static")
        return [v for v in graph.vertices if v.kind in kinds and v.label in self.paths and _key(v) == key]


def shown_facts(results: Facts, kind: str, shown: ShownRows | None) -> Iterator[ShuffleBlock]:
    """The results that are shown, as output; `kind` says whether they are of a fluent or of an event."""
    if shown is not None:
        table = Relation((*results.words,), results.n)
        results = results.take(shown.rows(results.key, table, is_fluent=kind == "fluent"))
    if results.n:
        yield ShuffleBlock(NO_STAGE, (0,), 1, results)


def _may_be_cut(facts: Facts) -> bool:
    """Whether a window cuts some of the facts; before retractions are applied, it is not known."""
    return "true_start" in facts.times or "op" in facts.times


def _insert(session: EngineSession, facts: Facts) -> None:
    """Insert records, members of domains or results of other stages; results have no arrival."""
    if facts.kind == "domain":
        session.rules.background.add_members(facts.key, list(facts.words))
    elif "op" in facts.times:
        records, retractions = operations_of(facts)
        session.apply([Operations(facts.kind == "event", facts.key, records, retractions)])
    elif "arrival" in facts.times:
        session.insert_columns(facts.key, facts.records())
    elif "true_start" in facts.times:
        times = facts.times
        cuts = FluentTable((*facts.words, times["start"], times["true_start"]), facts.n)
        session.state.computed_cuts[facts.key] = cuts, times["known_from"], times["known_until"]
    elif facts.kind in ("event", "fluent"):
        known = facts.times.get("known_from"), facts.times.get("known_until")
        session.insert_computed(facts.key, _table(facts), *known)


def _table(facts: Facts) -> FluentTable | PointTable:
    """Results of other stages as a table; a result that came by two routes occurs twice."""
    starts = facts.times["start"]
    if facts.kind == "event":
        return PointTable((*facts.words, starts), facts.n)
    return FluentTable((*facts.words, starts, facts.times["end"]), facts.n)


def _key(vertex: Vertex) -> Key:
    named = vertex.pattern if vertex.kind == "event" else vertex.fluent
    return (named.name, len(arguments(vertex.pattern))) if isinstance(named, Struct | Atom) else ("", 0)


def _by_path(vertex: Vertex, path: Path) -> tuple[list[Term], str]:
    """The columns of a vertex as patterns, with a distinct variable at every open place and `#key` at the path."""
    columns = arguments(vertex.pattern)
    patterns = [_opened(argument, (i,), path) for i, argument in enumerate(columns)]
    return (patterns if vertex.kind == "event" else [*patterns, _opened(vertex.value, (len(columns),), path)]), "#key"


def _opened(term: Term, here: Path, path: Path) -> Term:
    if here == path:
        return Var("#key")
    if isinstance(term, Struct):
        return Struct(term.name, tuple(_opened(inner, (*here, i), path) for i, inner in enumerate(term.args)))
    if isinstance(term, Var):
        return Var(f"#{here}") if len(here) > 1 else ANYTHING
    return term
