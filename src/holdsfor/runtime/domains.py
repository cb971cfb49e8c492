"""The instances of events and FVPs: grounding rules as plans, and sorts for entities without a grounding.

A session of a bucket computes only the instances that the bucket owns, as if its keys were part of every grounding.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.sorts import Sorts
from holdsfor.columns.tables import Relation
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.grounding_planner import leaves_open, open_variables, plan_grounding
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.operator import Operator, Plan, all_operators, run_operators
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.patterns import build, join, unify_column
from holdsfor.physical.planner import Planner
from holdsfor.physical.rows import Rows, concatenate_rows, one_row
from holdsfor.prolog.background import grounding_clauses
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Atom, Struct, Term, Var, is_ground, name_and_arity, substitute, variables

__all__ = ["Domains", "EntityKey", "OwnedInstances", "entity_columns", "entity_key"]

EntityKey = tuple[bool, str, int]
"""Whether an entity is an FVP, and the name and arity of the fluent or event."""
_Signature = tuple[int, frozenset[tuple[Term, ...]] | None, Hashable]
_MIN_ROWS_FOR_DISTINCT = 5_000  # fewer rows are checked without removing duplicates
_FEW_VALUES = 32  # larger sets of values are rarely looked up again
_FEW_ROWS = 5_000  # up to here, a set of values costs less than a sort
_MANY_MEMBERSHIPS = 1_000
_MEMBER, _UNKNOWN = 1, 2
_NO_MEMBERSHIP = np.empty(0, dtype=np.int8)


def entity_key(entity: Term) -> EntityKey:
    """Whether an entity is an FVP, and the name and arity of the fluent or event."""
    is_fvp = isinstance(entity, Struct) and entity.name == "="
    named = entity.args[0] if is_fvp and isinstance(entity, Struct) else entity
    return is_fvp, *name_and_arity(named)


def entity_columns(entity: Term) -> tuple[Term, ...]:
    """The columns of an event (its arguments) or an FVP (arguments, then value)."""
    if isinstance(entity, Struct) and entity.name == "=":
        fluent, value = entity.args
        return (*(fluent.args if isinstance(fluent, Struct) else ()), value)
    return entity.args if isinstance(entity, Struct) else ()


class _GroundingPlan:
    """One grounding rule, planned for each set of given variables."""

    def __init__(self, entity: Term, goals: Sequence[Term], body: Term, planner: Planner) -> None:
        self.entity = entity
        self.columns = entity_columns(entity)
        self.goals = tuple(goals)
        self.planner = planner
        self._steps: dict[frozenset[str], Plan] = {}
        self.body = body
        self.ranges = {name: RangeOver(name, entity, ()) for name in variables(entity)}
        self.is_open = leaves_open(planner.knowledge, entity, body)
        self._left: dict[frozenset[str], tuple[list[str], list[str]]] = {}

    def signature(self, value: Term | None) -> tuple[Term, ...] | None:
        """The conditions on the arguments for a value, independent of variable names; None for another value.

        Without a value, the conditions for any value.
        """
        columns = self.columns if value is not None else self.columns[:-1]
        if value is not None and is_ground(columns[-1]):
            if columns[-1] != value:
                return None
            columns = columns[:-1]
        terms = (*columns, *self.goals)
        names: dict[str, Term] = {name: Var(f"#{i}") for i, name in enumerate(variables(*terms))}
        given = (value,) if value is not None and len(columns) == len(self.columns) else ()
        return (*(substitute(term, names) for term in terms), *given)

    @property
    def planned(self) -> list[tuple[list[str], Plan]]:
        """The plans so far, with the given variables; if there is none, the plan that checks an instance."""
        if not self._steps:
            self.steps(frozenset(variables(self.entity)))
        return sorted((sorted(given), steps) for given, steps in self._steps.items())

    def steps(self, given: frozenset[str]) -> Plan:
        if given not in self._steps:
            self._steps[given] = plan_grounding(self.planner, self.entity, self.goals, given)
        return self._steps[given]

    def open_variables(self, given: frozenset[str]) -> tuple[list[str], list[str]]:
        """The variables that goals need, and those that goals may leave unbound."""
        if given not in self._left:
            self._left[given] = open_variables(self.planner.knowledge, self.entity, self.body, given)
        return self._left[given]

    def plan_ahead(self, given: frozenset[str]) -> None:
        """Make the plans that `run` uses for rows of the given variables."""
        needed, left_open = self.open_variables(given)
        if not needed:
            self.steps(given)
        if needed or left_open:
            self.steps(given | {*needed, *left_open})

    def run(self, rows: Rows, context: Context) -> Rows:
        """The rows with the variables of the entity; variables that goals need, or leave unbound, range over sorts."""
        given = frozenset(name for name in rows.columns if name != "#row")
        needed, left_open = self.open_variables(given)
        if not needed and not left_open:
            return run_operators(self.steps(given), rows, context)
        parts = [] if needed else [run_operators(self.steps(given), rows, context)]
        for name in (*needed, *left_open):
            rows = self.ranges[name].run(rows, context)
        parts.append(run_operators(self.steps(given | {*needed, *left_open}), rows, context))
        found = [part.keep(["#row", *variables(self.entity)]) for part in parts if part.n]
        return concatenate_rows(found) if found else parts[0]


def _count(key: EntityKey, context: Context) -> int:
    """The number of known argument tuples of this width."""
    return context.symbols.instances.count(key[2])


class OwnedInstances(Protocol):
    """The instances that a session computes, where other sessions compute the others."""

    def restriction(self, key: EntityKey) -> Hashable:
        """Equal for names whose instances with equal arguments have one owner; None if all instances are owned."""

    def mask(self, key: EntityKey, columns: Sequence[Int64], n: int) -> NDArray[np.bool_]:
        """The rows of arguments, perhaps with a value, whose instances are owned."""

    def recoded(self) -> OwnedInstances:
        """The same, for a table of symbols whose words were replaced."""


class Domains:
    """Membership in declared groundings, and the instances of patterns; of `owned` ones, if some are not."""

    def __init__(
        self,
        description: EventDescription,
        planner: Planner,
        sorts: Callable[[], Sorts],
        owned: OwnedInstances | None = None,
    ) -> None:
        self.owned = owned
        self.sorts = sorts
        self.planner = planner
        self.plans: dict[EntityKey, list[_GroundingPlan]] = {}
        self._instances: dict[Term, tuple[int, Relation]] = {}
        self._bindings: dict[tuple[Term, tuple[str, ...]], tuple[int, Rows, Relation]] = {}
        self._signatures: dict[tuple[EntityKey, int | None], int] = {}
        self._signature_ids: dict[_Signature, int] = {}
        self._members: dict[int, tuple[int, NDArray[np.int8]]] = {}
        self._everyone: dict[int, tuple[int, int]] = {}
        for grounding, clause in zip(description.groundings, grounding_clauses(description), strict=True):
            entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
            plan = _GroundingPlan(entity, grounding.goals, clause.body or Atom("true"), planner)
            self.plans.setdefault(entity_key(entity), []).append(plan)

    def plan_ahead(self, enumerated: Iterable[Term]) -> None:
        """Plan the grounding rules: to check instances, and to enumerate the instances of the given entities."""
        keys = {entity_key(entity) for entity in enumerated}
        for key, plans in self.plans.items():
            for plan in plans:
                plan.plan_ahead(frozenset(variables(plan.entity)))
                if key in keys:
                    plan.plan_ahead(frozenset())

    @property
    def operators(self) -> Iterator[Operator]:
        """The operators of all plans so far."""
        for plans in self.plans.values():
            for plan in plans:
                for _, steps in plan.planned:
                    yield from all_operators(steps)

    def is_declared(self, key: EntityKey) -> bool:
        return key in self.plans

    def restrict_to(self, owned: OwnedInstances | None) -> None:
        """Compute the owned instances only; drop all cached memberships."""
        self.owned = owned
        self._drop_memberships()

    def _drop_memberships(self) -> None:
        self._signatures.clear()
        self._signature_ids.clear()
        self._members.clear()
        self._everyone.clear()

    def is_restricted(self, key: EntityKey) -> bool:
        """Whether some instances may be outside the grounding, or belong to other sessions."""
        return key in self.plans or self._restriction(key) is not None

    def _restriction(self, key: EntityKey) -> Hashable:
        return None if self.owned is None else self.owned.restriction(key)

    def includes(self, key: EntityKey, columns: Sequence[Int64], n: int, context: Context) -> NDArray[np.bool_]:
        """A mask of the rows that are in the grounding; without a column of values, of rows with any grounded value."""
        if not self.is_restricted(key):
            return np.ones(n, dtype=bool)
        if context.profile is None:
            return self._included(key, columns, n, context)
        with context.profile.at(("grounding", key), n) as tally:
            inside = self._included(key, columns, n, context)
            tally.rows_out += int(np.count_nonzero(inside))
        return inside

    def _included(self, key: EntityKey, columns: Sequence[Int64], n: int, context: Context) -> NDArray[np.bool_]:
        if n < _MIN_ROWS_FOR_DISTINCT:
            return self._checked(key, columns, n, context)
        ids, first = dense_ids(columns, n)
        return self._checked(key, [column[first] for column in columns], len(first), context)[ids]

    def inside(
        self, key: EntityKey, numbers: Int64, values: Int64 | int | None, context: Context, version: int
    ) -> Int64 | None:
        """The rows, by number of their arguments, that are in the grounding, or None if all are.

        `values` is one value for all rows, a column, or None for any value. The result for an instance is cached until
        `version` changes.
        """
        if len(numbers) == 0 or not self.is_restricted(key):
            return None
        if context.profile is None:
            return self._inside(key, numbers, values, context, version)
        with context.profile.at(("grounding", key), len(numbers)) as tally:
            inside = self._inside(key, numbers, values, context, version)
            tally.rows_out += len(numbers) if inside is None else len(inside)
        return inside

    def _inside(
        self, key: EntityKey, numbers: Int64, values: Int64 | int | None, context: Context, version: int
    ) -> Int64 | None:
        if not isinstance(values, np.ndarray):
            outside = self._outside(key, numbers, values, context, version)
            return None if outside is None else (~outside).nonzero()[0]
        if len(values) == 0 or self._includes_all_instances(key, values, context, version):
            return None
        low = int(np.minimum.reduce(values))
        if low == int(np.maximum.reduce(values)):
            return self._inside(key, numbers, low, context, version)
        ids, first = dense_ids([values], len(values))
        if len(first) > _FEW_VALUES:
            columns = (*context.symbols.instances.words(key[2], numbers), values)
            return self._included(key, columns, len(numbers), context).nonzero()[0]
        is_inside = np.ones(len(numbers), dtype=bool)
        for number, value in enumerate(values[first].tolist()):
            rows = (ids == number).nonzero()[0]
            outside = self._outside(key, numbers[rows], value, context, version)
            if outside is not None:
                is_inside[rows[outside.nonzero()[0]]] = False
        return None if np.count_nonzero(is_inside) == len(is_inside) else is_inside.nonzero()[0]

    def _includes_all_instances(self, key: EntityKey, values: Int64, context: Context, version: int) -> bool:
        """Whether all known instances are in the grounding with each of some values, as far as that is known."""
        if len(values) > _FEW_ROWS:
            return False
        complete = version, _count(key, context)
        numbers = (self._signatures.get((key, value), -1) for value in set(values.tolist()))
        return all(self._everyone.get(number) == complete for number in numbers)

    def _outside(
        self, key: EntityKey, numbers: Int64, value: int | None, context: Context, version: int
    ) -> NDArray[np.bool_] | None:
        """A mask of the rows that are not in the grounding with a value, or None if all rows are in it."""
        if self._everyone.get(self._signature(key, value, context)) == (version, _count(key, context)):
            return None
        is_outside: NDArray[np.bool_] = self._membership(key, numbers, value, context, version) != _MEMBER
        return is_outside if np.count_nonzero(is_outside) else None

    def _membership(
        self, key: EntityKey, numbers: Int64, value: int | None, context: Context, version: int
    ) -> NDArray[np.int8]:
        """For each number of arguments whether it is a member with a value; missing entries are computed."""
        instances = context.symbols.instances
        signature = self._signature(key, value, context)
        known_at, known = self._members.get(signature, (version, _NO_MEMBERSHIP))
        if known_at != version:
            known = _NO_MEMBERSHIP
        if len(known) < _count(key, context):
            more = np.full(2 * _count(key, context) - len(known), _UNKNOWN, dtype=np.int8)
            known = np.concatenate((known, more))
        found = known[numbers]
        if np.count_nonzero(found == _UNKNOWN):
            is_missing = np.zeros(len(known), dtype=bool)
            is_missing[numbers[found == _UNKNOWN]] = True
            missing = is_missing.nonzero()[0]
            columns = list(instances.words(key[2], missing))
            if value is not None:
                columns.append(np.full(len(missing), value, dtype=np.int64))
            known[missing] = self._checked(key, columns, len(missing), context)
            found = known[numbers]
            if np.count_nonzero(known == _MEMBER) == _count(key, context):
                self._everyone[signature] = version, _count(key, context)
        self._members[signature] = version, known
        return found

    def _signature(self, key: EntityKey, value: int | None, context: Context) -> int:
        """The number of the conditions on arguments; fluents with equal conditions share cached results."""
        known = self._signatures.get((key, value))
        if known is None:
            if len(self._signatures) > _MANY_MEMBERSHIPS:
                self._drop_memberships()
            term = None if value is None else context.symbols.term(value)
            plans = self.plans.get(key)
            found = None if plans is None else frozenset(s for p in plans if (s := p.signature(term)) is not None)
            signature = key[2], found, self._restriction(key)
            known = self._signature_ids.setdefault(signature, len(self._signature_ids))
            self._signatures[key, value] = known
        return known

    def _checked(self, key: EntityKey, columns: Sequence[Int64], n: int, context: Context) -> NDArray[np.bool_]:
        found = self._grounded(key, columns, n, context) if key in self.plans else np.ones(n, dtype=bool)
        if self.owned is not None and self._restriction(key) is not None:
            found &= self.owned.mask(key, columns, n)
        return found

    def _grounded(self, key: EntityKey, columns: Sequence[Int64], n: int, context: Context) -> NDArray[np.bool_]:
        found = np.zeros(n, dtype=bool)
        everything = np.arange(n, dtype=np.int64)
        for plan in self.plans[key]:
            rows = Rows(n, {"#row": everything})
            for pattern, column in zip(plan.columns, columns, strict=False):
                if rows.n == 0:
                    break
                words = column if rows.n == n else column[rows.columns["#row"]]
                rows = unify_column(pattern, words, rows, context.symbols)
            rows = plan.run(rows, context)
            if rows.n:
                found[rows.columns["#row"]] = True
        return found

    def entities(self, key: EntityKey, context: Context) -> Relation:
        """Every instance of a declared grounding, as a relation of its columns."""
        parts: list[Rows] = []
        n_columns = len(self.plans[key][0].columns)
        for plan in self.plans[key]:
            rows = plan.run(one_row(), context)
            rows = self.over_sorts(plan.entity, rows, context) if rows.n else rows
            if rows.n:
                columns = {str(i): build(p, rows, context.symbols) for i, p in enumerate(plan.columns)}
                parts.append(Rows(rows.n, columns))
        if not parts:
            return Relation(tuple(np.empty(0, dtype=np.int64) for _ in range(n_columns)), 0)
        together = concatenate_rows(parts).distinct()
        return Relation(tuple(together.columns[str(i)] for i in range(n_columns)), together.n)

    @property
    def open_entities(self) -> list[Term]:
        """The entities of grounding rules that leave a variable to its sort."""
        return [plan.entity for plans in self.plans.values() for plan in plans if plan.is_open]

    def ranges_over_sorts(self, entity: Term) -> bool:
        """Whether the instances of an event or FVP depend on the constants of the input."""
        plans = self.plans.get(entity_key(entity))
        return plans is None or any(plan.is_open for plan in plans)

    def instances(self, pattern: Term, context: Context, version: int) -> Relation:
        """The instances of a pattern, as a relation of its variables; cached until `version` changes."""
        known = self._instances.get(pattern)
        if known is None or known[0] != version:
            known = self._instances[pattern] = version, self._all_instances(pattern, context)
        return known[1]

    def bindings(self, pattern: Term, names: Sequence[str], context: Context, version: int) -> Rows:
        """The instances of a declared pattern as rows of some of its variables; cached until a domain grows."""
        return self._bound(pattern, names, context, version)[1]

    def bound_relation(self, pattern: Term, names: Sequence[str], context: Context, version: int) -> Relation:
        """`bindings` as a relation, which keeps its indices."""
        return self._bound(pattern, names, context, version)[2]

    def _bound(self, pattern: Term, names: Sequence[str], context: Context, version: int) -> tuple[int, Rows, Relation]:
        place = pattern, tuple(names)
        known = self._bindings.get(place)
        if known is None or known[0] != version:
            relation = self.instances(pattern, context, version)
            rows = Rows(relation.n, dict(zip(variables(pattern), relation.columns, strict=True)))
            rows = rows.keep(names).distinct()
            columns = tuple(rows.columns[name] for name in names)
            known = self._bindings[place] = version, rows, Relation(columns, rows.n)
        return known

    def _all_instances(self, pattern: Term, context: Context) -> Relation:
        names = list(variables(pattern))
        key = entity_key(pattern)
        if key in self.plans:
            rows, _ = join(one_row(), self.entities(key, context), entity_columns(pattern), context.symbols)
        else:
            rows = self.over_sorts(pattern, one_row(), context)
        return Relation(tuple(rows.columns[name] for name in names), rows.n)

    def of_sort(self, pattern: Term, name: str, context: Context) -> Int64:
        """The members of the sort of a variable of a pattern."""
        return context.symbols.words(self.sorts().members(pattern, name))

    def over_sorts(self, pattern: Term, rows: Rows, context: Context) -> Rows:
        """The rows combined with every member of the sorts of the pattern's unbound variables."""
        for name in variables(pattern):
            if name not in rows.columns:
                members = self.of_sort(pattern, name, context)
                owner = np.repeat(np.arange(rows.n, dtype=np.int64), len(members))
                rows = rows.take(owner).with_columns({name: np.tile(members, rows.n)})
        return rows
