"""Routing: facts to the buckets of the stages that read them, by hash, map, semijoin or broadcast.

`holdsfor.distribution.stages` chooses the distribution of each table. A semijoin takes an additional shuffle: facts and
the *routes* of their guard meet in the bucket of the argument they share, and the facts go on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.distribution.stages import Broadcast, Distribution, HashRoute, MapRoute, SemijoinRoute, Table
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys
from holdsfor.parallel.exchange.facts import KINDS, Facts, Texts, by_name, owners
from holdsfor.parallel.exchange.key_maps import key_map
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock

__all__ = ["Destination", "Router", "by_owner"]

_FEW_BUCKETS = 8
"""Up to as many buckets, a search for the rows of each is faster than a sort by bucket."""


@dataclass(frozen=True)
class Destination:
    """A stage by its number, from 1, with the tables that it reads and their distributions.

    The background knowledge of the `rules` has the facts of maps.
    """

    stage: int
    receives: tuple[tuple[Table, Distribution], ...]
    n_buckets: int
    rules: Rules

    @property
    def guards(self) -> list[SemijoinRoute]:
        return list(dict.fromkeys(how for _, how in self.receives if isinstance(how, SemijoinRoute)))

    def distributions(self, table: tuple[str, str, int]) -> list[Distribution]:
        """The distributions of a table to this stage."""
        return list(dict.fromkeys(how for each, how in self.receives if each == table))

    def shuffle_blocks(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        """Facts by broadcast, hash or map, once for each bucket; facts that need a semijoin; and routes of guards."""
        distributions = self.distributions(facts.table)
        if any(isinstance(how, Broadcast) for how in distributions):
            yield ShuffleBlock(self.stage, tuple(range(self.n_buckets)), self.n_buckets, facts)
        else:
            rows, buckets = self._rows(facts, distributions, texts)
            yield from by_owner(self.stage, facts, rows, buckets, self.n_buckets)
            yield from self._semijoin_facts(facts, distributions, texts)
        yield from self._routes(facts, texts)

    def _rows(self, facts: Facts, distributions: list[Distribution], texts: Texts) -> tuple[Int64 | None, Int64]:
        """The rows that hashes and maps send, with their buckets, without duplicates; no rows for all of them."""
        hashed = [how.argument for how in distributions if isinstance(how, HashRoute)]
        maps = [how for how in distributions if isinstance(how, MapRoute)]
        if len(hashed) == 1 and not maps:
            return None, owners(facts.words[hashed[0]], self.n_buckets, texts)
        found = [_each_once([owners(facts.words[argument], self.n_buckets, texts) for argument in hashed])]
        if not maps:
            return found[0]
        for how in maps:
            mapped = key_map(self.rules, how.hops)
            found.append(mapped.buckets(facts.words[how.argument], texts.symbols, self.n_buckets))
        rows, buckets = (np.concatenate(each) for each in zip(*found, strict=True))
        first = dense_ids([rows, buckets], len(rows))[1]
        return rows[first], buckets[first]

    def _semijoin_facts(self, facts: Facts, distributions: list[Distribution], texts: Texts) -> Iterator[ShuffleBlock]:
        for argument in dict.fromkeys(how.argument for how in distributions if isinstance(how, SemijoinRoute)):
            routers = owners(facts.words[argument], self.n_buckets, texts)
            yield from by_owner(-self.stage, facts, None, routers, self.n_buckets)

    def _routes(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        """The routes that guard facts give: the target bucket of each partner, sent to the owner of the partner."""
        for how in self.guards:
            if how.guard == facts.table and facts.n:
                partners, ends = facts.words[how.partner], owners(facts.words[how.owner], self.n_buckets, texts)
                first = dense_ids([partners, ends], facts.n)[1]
                partners, ends = partners[first], ends[first]
                route = Facts("route", _name(how), 1, len(first), [partners], {"bucket": ends})
                routers = owners(partners, self.n_buckets, texts)
                yield from by_owner(-self.stage, route, None, routers, self.n_buckets)

    def semijoined(self, arrived: Iterable[Facts]) -> Iterator[ShuffleBlock]:
        """The second half of a semijoin, in one bucket: facts joined with routes."""
        arrived = by_name(arrived)
        routes = {facts.name: facts for facts in arrived if facts.kind == "route"}
        for facts in arrived:
            for how in self.distributions(facts.table):
                route = routes.get(_name(how)) if isinstance(how, SemijoinRoute) else None
                if route is not None and isinstance(how, SemijoinRoute):
                    rows, way = pairs_of_equal_keys([facts.words[how.argument]], facts.n, route.words, route.n)
                    yield from self._once(facts, rows, route.times["bucket"][way])

    def _once(self, facts: Facts, rows: Int64, buckets: Int64) -> Iterator[ShuffleBlock]:
        first = dense_ids([rows, buckets], len(rows))[1]
        yield from by_owner(self.stage, facts, rows[first], buckets[first], self.n_buckets)


@dataclass(frozen=True)
class Router:
    """Sends facts to all stages that read them; counts and other facts for no stage have the stage `NO_STAGE`.

    One bucket of the first stage receives the kinds of constants.
    """

    destinations: tuple[Destination, ...]

    def shuffle_blocks(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        if facts.kind == KINDS:
            for destination in self.destinations[:1]:
                yield ShuffleBlock(destination.stage, (0,), destination.n_buckets, facts)
            return
        if facts.kind not in ("event", "fluent", "domain"):
            yield ShuffleBlock(NO_STAGE, (0,), 1, facts)
            return
        for destination in self.destinations:
            yield from destination.shuffle_blocks(facts, texts)


def by_owner(stage: int, facts: Facts, rows: Int64 | None, buckets: Int64, n_buckets: int) -> Iterator[ShuffleBlock]:
    """Rows of facts, by default all of them, as one shuffle block per bucket."""
    if n_buckets == 1:
        if len(buckets):
            yield ShuffleBlock(stage, (0,), 1, facts if rows is None or len(rows) == facts.n else facts.take(rows))
    elif n_buckets <= _FEW_BUCKETS:
        for bucket in range(n_buckets):
            own = (buckets == bucket).nonzero()[0]
            if len(own):
                yield ShuffleBlock(stage, (bucket,), n_buckets, facts.take(own if rows is None else rows[own]))
    else:
        order = np.argsort(buckets.astype(np.uint16 if n_buckets <= 1 << 16 else np.int64), kind="stable")
        sorted_facts = facts.take(order if rows is None else rows[order])
        counts = np.bincount(buckets, minlength=n_buckets)
        ends = np.cumsum(counts)
        for bucket in np.flatnonzero(counts).tolist():
            last = int(ends[bucket])
            yield ShuffleBlock(stage, (bucket,), n_buckets, sorted_facts.part(last - int(counts[bucket]), last))


def _each_once(found: list[Int64]) -> tuple[Int64, Int64]:
    """Rows with their buckets, without duplicates."""
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    n = len(found[0])
    rows = [np.arange(n, dtype=np.int64)]
    for i in range(1, len(found)):
        is_new = np.ones(n, dtype=bool)
        for earlier in found[:i]:
            is_new &= earlier != found[i]
        rows.append(np.flatnonzero(is_new))
    return np.concatenate(rows), np.concatenate([each[which] for each, which in zip(found, rows, strict=True)])


def _name(how: Distribution) -> str:
    """The name of the route facts of a guard."""
    assert isinstance(how, SemijoinRoute)
    kind, name, arity = how.guard
    return f"{kind} {name}/{arity} {how.partner} {how.owner}"
