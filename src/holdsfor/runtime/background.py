"""Background knowledge for columns: facts as relations of words, and what never changes during a run."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.tables import Key, Relation
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.prolog import Database, Engine
from holdsfor.prolog.background import background_database, called_predicates
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import FactTable
from holdsfor.syntax.terms import Int, Struct, Term, Var, is_ground, name_and_arity

__all__ = ["Background"]


class Background:
    """The database with its start-up goals done, its fact relations, and the dynamic domains that the input fills.

    `version` grows whenever a domain does.
    """

    def __init__(self, description: EventDescription, symbols: Symbols, goals: tuple[Term, ...] = ()) -> None:
        self.symbols = symbols
        self.database: Database = background_database(description)
        self.engine = Engine(self.database)
        for goal in goals:
            self.engine.run(goal)
        self.domains = {name_and_arity(d) for d in description.dynamic_domains}
        self.domains |= {name_and_arity(c.domain) for c in description.collected}
        self._rules, self._calls = _rules_and_calls(description)
        self.version = 0
        self._relations: dict[Key, Relation] = {}
        self._unasserted: list[tuple[Key, list[Int64]]] = []
        for name, arity in (*self.domains, ("queryTime", 1)):
            self.database.declare_dynamic(name, arity)

    def is_relation(self, key: Key) -> bool:
        """Whether a predicate consists of ground facts, perhaps with members from the input."""
        return key not in self._rules and key[1] > 0 and (key in self.domains or self.database.defines(*key))

    def is_stable(self, goal: Term) -> bool:
        """Whether the answers of a goal do not depend on dynamic domains."""
        seen: set[Key] = set()
        stack = [name_and_arity(call) for call in called_predicates(goal)]
        while stack:
            key = stack.pop()
            if key in self.domains or key == ("queryTime", 1):
                return False
            if key not in seen:
                seen.add(key)
                stack.extend(self._calls.get(key, ()))
        return True

    def set_query_time(self, at: int) -> None:
        """Let goals know the query time."""
        self.engine.run(Struct("retractall", (Struct("queryTime", (Var("_"),)),)))
        self.database.add_clause(Struct("queryTime", (Int(at),)), None, None)

    def facts(self, key: Key) -> Relation:
        """The facts of a predicate as words, each once."""
        if key not in self._relations:
            rows = list(self.database.facts(*key)) if self.database.defines(*key) else []
            columns = [self.symbols.words(row[i] for row in rows) for i in range(key[1])]
            self._relations[key] = _distinct(columns)
        return self._relations[key]

    def add_members(self, key: Key, columns: list[Int64]) -> None:
        """Let the input fill a dynamic domain."""
        known = self.facts(key)
        candidates = _distinct(columns)
        owner, _ = known.partners(candidates.columns, tuple(range(key[1])), candidates.n)
        is_new = np.ones(candidates.n, dtype=bool)
        is_new[owner] = False
        if not is_new.any():
            return
        fresh = [column[is_new] for column in candidates.columns]
        together = tuple(np.concatenate(pair) for pair in zip(known.columns, fresh, strict=True))
        self._relations[key] = Relation(together, len(together[0]))
        self.version += 1
        self._unasserted.append((key, fresh))

    def synchronise(self) -> None:
        """Let the background engine know the members too; only goals that depend on domains need that."""
        for (name, _), columns in self._unasserted:
            for row in zip(*(self.symbols.terms(column) for column in columns), strict=True):
                self.database.add_clause(Struct(name, row), None, None)
        self._unasserted.clear()


def _distinct(columns: list[Int64]) -> Relation:
    n = len(columns[0])
    first = dense_ids(columns, n)[1]
    return Relation(tuple(column[first] for column in columns), len(first))


def _rules_and_calls(description: EventDescription) -> tuple[set[Key], dict[Key, list[Key]]]:
    """The predicates with clauses that are not ground facts, and what the clauses of each predicate call."""
    rules: set[Key] = set()
    calls: dict[Key, list[Key]] = {}
    for item in description.background:
        if isinstance(item, FactTable) or (item.body is None and is_ground(item.head)):
            continue
        key = name_and_arity(item.head)
        rules.add(key)
        if item.body is not None:
            calls.setdefault(key, []).extend(name_and_arity(call) for call in called_predicates(item.body))
    return rules, calls
