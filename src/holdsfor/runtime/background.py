"""Background knowledge for columns: facts as relations of words, and stable predicates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.analysis.domain_goals import DomainGoals
from holdsfor.columns.constant_columns import column_words
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.recoding import Recoding
from holdsfor.columns.tables import Key, Relation
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, distinct_rows
from holdsfor.prolog import Database, Engine
from holdsfor.prolog.background import background_database, called_predicates, grounding_clauses
from holdsfor.prolog.faults import Faults
from holdsfor.prolog.groundness import Groundness
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Int, Struct, Term, is_ground, name_and_arity, variables

__all__ = ["Background"]

_QUERY_TIME = ("queryTime", 1)


class Background:
    """The database after its start-up goals, its fact relations, and the dynamic domains that the input fills.

    `version` grows whenever a domain changes. `faults` are the conditions that had no result.
    """

    def __init__(self, description: EventDescription, symbols: Symbols, goals: tuple[Term, ...] = ()) -> None:
        self.symbols = symbols
        self.database: Database = background_database(description)
        self.faults = Faults()
        self.engine = Engine(self.database, faults=self.faults)
        self.engine.start_up(goals)
        self.domains = {name_and_arity(d) for d in description.dynamic_domains}
        self.domains |= {name_and_arity(c.domain) for c in description.collected}
        self._domain_goals = DomainGoals(description, frozenset(self.domains))
        self._has_more_clauses = bool(goals)
        self._rules, self._calls = _rules_and_calls(description)
        fvps = [grounding.entity for grounding in description.groundings if isinstance(grounding.entity, Fvp)]
        self._grounded = {name_and_arity(fvp.fluent) for fvp in fvps}
        self.version = 0
        self._relations: dict[Key, Relation] = {}
        self._given: dict[Key, Relation] = {}
        self._n_copied: dict[Key, int] = {}
        self._erased: dict[Key, list[list[Int64]]] = {}
        for name, arity in (*self.domains, _QUERY_TIME):
            self.database.declare_dynamic(name, arity)
        self._groundness = Groundness(self.database, (*self.domains, _QUERY_TIME))

    def is_relation(self, key: Key) -> bool:
        """Whether a predicate consists of ground facts, possibly with members from the input."""
        return key not in self._rules and key[1] > 0 and (key in self.domains or self.database.defines(*key))

    def is_defined(self, key: Key) -> bool:
        """Whether the background knowledge defines a predicate, which may be built in too."""
        return key in self._rules or self.database.defines(*key)

    def is_grounded(self, key: Key) -> bool:
        """Whether a fluent has groundings."""
        return key in self._grounded

    def is_stable(self, goal: Term) -> bool:
        """Whether the answers of a goal do not depend on dynamic domains."""
        return self._reached(goal).isdisjoint((*self.domains, _QUERY_TIME))

    def _reached(self, goal: Term) -> set[Key]:
        """The predicates that a goal may call."""
        seen: set[Key] = set()
        stack = [name_and_arity(call) for call in called_predicates(goal)]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen.add(key)
                stack.extend(self._calls.get(key, ()))
        return seen

    def tested_members(self, goal: Term, ground: set[str]) -> tuple[Struct, ...] | None:
        """The members on which the answers of a goal depend; None if they depend on others, or on the query time."""
        if self._has_more_clauses or _QUERY_TIME in self._reached(goal):
            return None
        atoms = [atom for atom in self._domain_goals.needed(goal) if isinstance(atom, Struct)]
        is_bound = all(set(variables(atom)) <= ground for atom in atoms)
        return tuple(dict.fromkeys(atoms)) if is_bound else None

    def only_answer(self, goal: Term) -> dict[str, Term] | None:
        """The values of the goal's variables, if exactly one fact of a table without input matches the goal."""
        if not isinstance(goal, Struct):
            return None
        key = name_and_arity(goal)
        if key in self.domains or key == _QUERY_TIME or not self.is_relation(key):
            return None
        only: dict[str, Term] | None = None
        for answer in self.engine.solve(goal):
            if only is not None and answer != only:
                return None
            only = answer
        return only

    def ground_after(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that have values after the proof of a goal, given the variables with values before it."""
        return self._groundness.after(goal, ground)

    def needed(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that a proof of a goal needs, besides the variables with values before it."""
        return self._groundness.needed(goal, ground)

    def definition(self, key: Key) -> tuple[Clause, ...] | None:
        """The clauses of a predicate, if they are complete and the predicate does not call itself."""
        clauses = self._rules.get(key)
        if clauses is None or self.database.n_clauses(*key) != len(clauses) or self._calls_itself(key):
            return None
        return tuple(clauses)

    def _calls_itself(self, key: Key) -> bool:
        seen: set[Key] = set()
        stack = list(self._calls.get(key, ()))
        while stack:
            called = stack.pop()
            if called == key:
                return True
            if called not in seen:
                seen.add(called)
                stack.extend(self._calls.get(called, ()))
        return False

    def set_query_time(self, at: int) -> None:
        """Set the query time for goals."""
        self.database.set_fact(Struct("queryTime", (Int(at),)))
        self._relations.pop(_QUERY_TIME, None)

    def facts(self, key: Key) -> Relation:
        """The facts of a predicate as words, each once."""
        if key not in self._relations:
            columns = self.database.fact_columns(*key)
            self._relations[key] = _distinct([column_words(column, self.symbols) for column in columns])
        return self._relations[key]

    def has_new_members(self, key: Key, columns: list[Int64]) -> bool:
        """Whether some members from the input are not in a dynamic domain yet."""
        return not bool(self.facts(key).has(columns, len(columns[0])).all())

    def add_members(self, key: Key, columns: list[Int64]) -> list[Int64]:
        """Add members from the input to a dynamic domain; return the new ones."""
        known = self.facts(key)
        rows = (~known.has(columns, len(columns[0]))).nonzero()[0]
        if len(rows) == 0:
            return []
        fresh = list(_distinct([column[rows] for column in columns]).columns)
        together = concatenate_columns([known.columns, fresh])
        if key not in self._given:
            self._given[key], self._n_copied[key] = known, known.n
        self._change(key, together)
        return fresh

    def keep_members(self, key: Key, columns: list[Int64]) -> None:
        """Remove the members that the input added to a dynamic domain, except those given."""
        if key not in self._given:
            return
        known, kept = self.facts(key), _distinct(columns)
        is_kept = kept.has(known.columns, known.n) | self._given[key].has(known.columns, known.n)
        if is_kept.all():
            return
        is_gone_copy = ~is_kept[: self._n_copied[key]]
        if is_gone_copy.any():
            self._erased.setdefault(key, []).append(
                [column[: len(is_gone_copy)][is_gone_copy] for column in known.columns]
            )
        self._n_copied[key] -= int(np.count_nonzero(is_gone_copy))
        self._change(key, tuple(column[is_kept] for column in known.columns))

    def recode(self, recoding: Recoding) -> None:
        """Replace the words of members after the table of symbols was rebuilt; facts are encoded again."""

        def recoded(relations: dict[Key, Relation]) -> dict[Key, Relation]:
            found = {key: relations[key] for key in self._given}
            return {key: Relation(tuple(recoding.all_words(each.columns)), each.n) for key, each in found.items()}

        self._relations, self._given = recoded(self._relations), recoded(self._given)
        self._erased = {key: [recoding.all_words(each) for each in parts] for key, parts in self._erased.items()}

    def brought(self) -> dict[Key, tuple[Int64, ...]]:
        """The members of the dynamic domains that the input has filled."""
        return {key: self.facts(key).columns for key in self._given}

    def _change(self, key: Key, columns: tuple[Int64, ...]) -> None:
        self._relations[key] = Relation(columns, len(columns[0]))
        self.version += 1

    def synchronise(self) -> None:
        """Copy the members to the database; only goals that depend on domains need this.

        The first rows of a relation are in the database already: new members come after them.
        """
        for key, parts in self._erased.items():
            self.database.erase_facts(key, frozenset(row for columns in parts for row in self._rows(columns)))
        self._erased.clear()
        for key in self._given:
            for row in self._rows([column[self._n_copied[key] :] for column in self._relations[key].columns]):
                self.database.add_clause(Struct(key[0], row), None, None)
            self._n_copied[key] = self._relations[key].n

    def _rows(self, columns: Sequence[Int64]) -> list[tuple[Term, ...]]:
        return list(zip(*map(self.symbols.terms, columns), strict=True))


def _distinct(columns: list[Int64]) -> Relation:
    n = len(columns[0])
    rows = distinct_rows(columns, n)
    return Relation(tuple(columns), n) if rows is None else Relation(tuple(c[rows] for c in columns), len(rows))


def _rules_and_calls(description: EventDescription) -> tuple[dict[Key, list[Clause]], dict[Key, list[Key]]]:
    """The clauses of predicates that are not only ground facts, and the predicates that the clauses of each call."""
    rules: dict[Key, list[Clause]] = {}
    calls: dict[Key, list[Key]] = {}
    clauses = [item for item in description.background if not isinstance(item, FactTable)]
    clauses += grounding_clauses(description)
    defined = {name_and_arity(clause.head) for clause in clauses if clause.body or not is_ground(clause.head)}
    for clause in clauses:
        key = name_and_arity(clause.head)
        if key in defined:
            rules.setdefault(key, []).append(clause)
        if clause.body is not None:
            calls.setdefault(key, []).extend(name_and_arity(call) for call in called_predicates(clause.body))
    return rules, calls
