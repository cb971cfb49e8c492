"""The operators of a rule: each takes rows and returns those that satisfy one more condition, with what it binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols, integer_words
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64, dense_ids, expand_ranges
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.arithmetic import COMPARISONS, compare_columns, number_column, number_words
from holdsfor.physical.patterns import bound_positions, build, is_plain, join, scan, unify_column
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows, concatenate, one_row
from holdsfor.prolog import Engine, evaluate, standard_order_key
from holdsfor.prolog.problems import shown
from holdsfor.syntax.terms import Float, Int, Struct, Term, Var, is_ground, list_term, substitute, variables

__all__ = [
    "AnyClause",
    "AnyOf",
    "Broken",
    "Context",
    "CountHolding",
    "Forget",
    "Gather",
    "GroundHead",
    "HoldsNow",
    "JoinFacts",
    "MatchPoints",
    "NoneOf",
    "Prove",
    "RangeHead",
    "RangeOver",
    "StampTime",
    "Step",
    "TestNumbers",
    "Unify",
    "counts_holding",
    "run_steps",
]

_NOBODY: Int64 = np.empty(0, dtype=np.int64)
OPEN_WORD = -(2**63)
"""Where a goal leaves a variable open: no constant has this word."""

_REMEMBERED = 4_096  # answers of goals, besides twice those that are asked for

PointKind = Literal["events", "starts", "ends", "startI", "endI", "initiations"]


class Context(Protocol):
    """What steps may ask of the window they run in."""

    symbols: Symbols
    engine: Engine
    profile: Profile | None

    def points(self, kind: PointKind, key: Key) -> PointTable: ...
    def terminations(self, key: Key) -> PointTable: ...
    def fluents(self, key: Key) -> FluentTable: ...
    def facts(self, key: Key) -> Relation: ...
    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows: ...
    def members(self, ranging: RangeOver, known: Int64) -> Int64: ...
    def head_members(self, ranging: RangeHead) -> Int64: ...
    def synchronise(self) -> None: ...


class Step(Protocol):
    def run(self, rows: Rows, context: Context) -> Rows: ...


def run_steps(steps: Sequence[Step], rows: Rows, context: Context) -> Rows:
    """The rows after all steps; none are taken once no row is left."""
    if context.profile is not None:
        return _counted_steps(steps, rows, context, context.profile)
    for step in steps:
        if rows.n == 0:
            return rows
        rows = step.run(rows, context)
    return rows


def _counted_steps(steps: Sequence[Step], rows: Rows, context: Context, profile: Profile) -> Rows:
    for step in steps:
        if rows.n == 0:
            return rows
        with profile.at(id(step), rows.n) as tally:
            rows = step.run(rows, context)
            tally.rows_out += rows.n
    return rows


@dataclass(frozen=True)
class MatchPoints:
    """Something happens at the rows' time-points: an event, a start or end, an initiation.

    `numbered` are the columns of numbers it adds: their names, and the positions whose words are numbered together.
    """

    kind: PointKind
    key: Key
    patterns: tuple[Term, ...]
    numbered: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def run(self, rows: Rows, context: Context) -> Rows:
        table = context.points(self.kind, self.key)
        joined, partner = self.matches(rows, table, context)
        more = {
            name: _at(table.numbers(positions, context.symbols.instances), partner) for name, positions in self.numbered
        }
        times = _at(table.times, partner) if rows.times is None else joined.times
        return Rows(joined.n, {**joined.columns, **more}, times)

    def matches(self, rows: Rows, table: PointTable, context: Context) -> tuple[Rows, Int64 | None]:
        """The rows with those of the table that fit, and which those are: None if it is all of them in order."""
        if rows.times is not None:
            return join(rows, table, self.patterns, context.symbols, (len(self.patterns), rows.times))
        if rows.is_empty_binding and is_plain(self.patterns):
            return scan(table, self.patterns, context.symbols)
        return join(rows, table, self.patterns, context.symbols)


def _at(column: Int64, rows: Int64 | None) -> Int64:
    return column if rows is None else column[rows]


@dataclass(frozen=True)
class HoldsNow:
    """An FVP holds at the rows' time-points. If its arguments are numbered, `numbered` is the column of numbers."""

    key: Key
    patterns: tuple[Term, ...]
    numbered: str | None = None

    def run(self, rows: Rows, context: Context) -> Rows:
        table = context.fluents(self.key)
        assert rows.times is not None
        if self.numbered is not None:
            value = context.symbols.word(self.patterns[-1])
            numbers = rows.columns[self.numbered]
            return rows.take(table.holds(value, context.symbols.instances, numbers, rows.times))
        if len(bound_positions(self.patterns, rows.columns)) == len(self.patterns):
            if is_ground(self.patterns[-1]):
                return rows.take(self.holds(rows, table, context))
            keys = [build(pattern, rows, context.symbols) for pattern in self.patterns]
            return rows.take(table.holding(keys, rows.times) >= 0)
        joined, partner = join(rows, table, self.patterns, context.symbols)
        assert joined.times is not None
        return joined.take((table.starts[partner] <= joined.times) & (joined.times < table.ends[partner]))

    def holds(self, rows: Rows, table: FluentTable, context: Context) -> NDArray[np.bool_]:
        """Whether bound fluents have a constant value; those that never had a number have none."""
        assert rows.times is not None
        instances, value = context.symbols.instances, context.symbols.word(self.patterns[-1])
        table.arguments(instances)
        numbers = instances.known([build(pattern, rows, context.symbols) for pattern in self.patterns[:-1]], rows.n)
        return table.holds(value, instances, numbers, rows.times)


@dataclass(frozen=True)
class Broken:
    """An FVP with a constant value is terminated, or another value of its fluent is initiated."""

    key: Key
    patterns: tuple[Term, ...]

    def run(self, rows: Rows, context: Context) -> Rows:
        terminated = self.matching(rows, context.terminations(self.key), context, is_other=False)
        replaced = self.matching(rows, context.points("initiations", self.key), context, is_other=True)
        return concatenate([terminated, replaced]).distinct()

    def matching(self, rows: Rows, table: PointTable, context: Context, *, is_other: bool) -> Rows:
        *arguments, value = self.patterns
        own = rows.with_columns({"#value": build(value, rows, context.symbols)})
        also = None if rows.times is None else (len(self.patterns), rows.times)
        joined, partner = join(own, table, arguments, context.symbols, also)
        words = table.columns[len(arguments)][partner]
        same = words == joined.columns["#value"]
        mask = ~same if is_other else same | (words == ANY_VALUE)
        times = table.times[partner] if rows.times is None else joined.times
        columns = {name: column for name, column in joined.columns.items() if name != "#value"}
        return Rows(joined.n, columns, times).take(mask)


@dataclass(frozen=True)
class JoinFacts:
    """A fact of the background knowledge, or a member of a dynamic domain."""

    key: Key
    patterns: tuple[Term, ...]

    def run(self, rows: Rows, context: Context) -> Rows:
        facts = context.facts(self.key)
        if len(bound_positions(self.patterns, rows.columns)) == len(self.patterns):
            return rows.take(facts.has([build(pattern, rows, context.symbols) for pattern in self.patterns], rows.n))
        return join(rows, facts, self.patterns, context.symbols)[0]


@dataclass(frozen=True)
class StampTime:
    """Makes the time-point a column, for rules that compute with it; one that is there already must equal it."""

    name: str

    def run(self, rows: Rows, context: Context) -> Rows:
        assert rows.times is not None
        return unify_column(Var(self.name), context.symbols.integers(rows.times), rows, context.symbols)


@dataclass(frozen=True)
class Prove:
    """A goal for the background engine, proved once per distinct input; answers are remembered while `is_stable`.

    Inputs that never come again are forgotten after a while: a stream of measurements has ever new ones. Unless it
    `is_sure`, the goal may leave outputs open, or need their values if it `is_needing`. Such an output takes all values
    that its step among the `ranges` gives it, and the goal is proved again with each; without a step that is an error,
    unless it is one that `stays_open`.
    """

    goal: Term
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    is_stable: bool
    is_sure: bool = True
    is_needing: bool = False
    ranges: tuple[tuple[str, Step], ...] = ()
    stays_open: frozenset[str] = frozenset()
    _answers: dict[tuple[int, ...], list[tuple[int, ...]]] = field(default_factory=dict, repr=False, compare=False)

    def run(self, rows: Rows, context: Context) -> Rows:
        ids, first = dense_ids([rows.columns[name] for name in self.inputs], rows.n)
        distinct = [rows.columns[name][first].tolist() for name in self.inputs]
        keys = list(zip(*distinct, strict=True)) if distinct else [()]
        if not self.is_stable:
            self._answers.clear()
            context.synchronise()
        answers = [self.answers(key, context) for key in keys]
        if len(self._answers) > _REMEMBERED + 2 * len(keys):
            self._answers.clear()
            self._answers.update(zip(keys, answers, strict=True))
        counts = np.array([len(found) for found in answers], dtype=np.int64)
        owner, position = expand_ranges((np.cumsum(counts) - counts)[ids], counts[ids])
        flat = [answer for found in answers for answer in found]
        table = np.array(flat, dtype=np.int64).reshape(len(flat), len(self.outputs))
        more = {name: table[position, i] for i, name in enumerate(self.outputs)}
        found = rows.take(owner).with_columns(more)
        return found if self.is_sure else self.with_values(found, context)

    def with_values(self, rows: Rows, context: Context) -> Rows:
        """The rows, with values for outputs that are open."""
        outputs = [name for name in self.outputs if name not in self.stays_open]
        masks = np.array([rows.columns[name] == OPEN_WORD for name in outputs], dtype=bool).reshape(
            len(outputs), rows.n
        )
        parts: list[Rows] = []
        for mask in {tuple(column) for column in masks.T.tolist()}:
            names = [name for name, is_missing in zip(outputs, mask, strict=True) if is_missing]
            is_alike = np.all(np.equal(masks.T, np.array(mask, dtype=bool)), axis=1)
            alike = np.flatnonzero(is_alike)
            parts.append(self.ranging(rows.take(alike), names, context) if names else rows.take(alike))
        return concatenate([part.keep(list(rows.columns)) for part in parts]) if parts else rows

    def ranging(self, rows: Rows, names: Sequence[str], context: Context) -> Rows:
        """The rows with all values of open outputs for which the goal can be proved."""
        ranges = dict(self.ranges)
        known = [name for name in rows.columns if name not in names]
        ranged = [name for name in names if name in ranges]
        if not ranged:
            raise self.problem(names[0])
        rows = rows.keep(known)
        for name in ranged:
            rows = rows if name in rows.columns else ranges[name].run(rows, context)
        outputs = tuple(name for name in names if name not in ranged)
        inputs = tuple(name for name in (*self.inputs, *self.outputs) if name not in outputs)
        again = Prove(self.goal, inputs, outputs, self.is_stable, is_sure=not outputs)
        return again.run(rows.keep([*known, *ranged]).distinct(), context)

    def problem(self, name: str) -> ExecutionProblem:
        span = None if isinstance(self.goal, Var) else self.goal.span
        message = f"`{name}` has no value after `{shown(self.goal)}`"
        hint = f"bind `{name}` by another condition of the same rule"
        return ExecutionProblem(Diagnostic("HF602", message, span, hint))

    def answers(self, key: tuple[int, ...], context: Context) -> list[tuple[int, ...]]:
        known = self._answers.get(key)
        if known is None:
            symbols = context.symbols
            given = {name: symbols.term(word) for name, word in zip(self.inputs, key, strict=True)}
            found = (
                tuple(_word(answer[name], symbols) for name in self.outputs)
                for answer in context.engine.solve(substitute(self.goal, given))
            )
            known = self._answers[key] = list(self.unless_it_needs_values(found))
        return known

    def unless_it_needs_values(self, answers: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], None]:
        """The answers, each once; of a goal that needs the value of an output, one where all outputs are open."""
        try:
            return dict.fromkeys(answers)
        except ExecutionProblem as problem:
            if not (self.is_needing and self.ranges) or all(each.code != "HF602" for each in problem.diagnostics):
                raise
            return {(OPEN_WORD,) * len(self.outputs): None}


def _word(term: Term, symbols: Symbols) -> int:
    return symbols.word(term) if is_ground(term) else OPEN_WORD


@dataclass(frozen=True)
class TestNumbers:
    """A comparison, or `is`, on columns; what cannot be had in columns is proved row by row."""

    goal: Struct
    otherwise: Prove

    def run(self, rows: Rows, context: Context) -> Rows:
        left, right = self.goal.args
        if self.goal.name in COMPARISONS:
            mask = compare_columns(self.goal.name, left, right, rows, context.symbols)
            return self.otherwise.run(rows, context) if mask is None else rows.take(mask)
        values = number_column(right, rows, context.symbols)
        if values is None:
            return self.otherwise.run(rows, context)
        return unify_column(left, number_words(values), rows, context.symbols)


@dataclass(frozen=True)
class Unify:
    """`pattern = built`, where the right side is bound."""

    pattern: Term
    built: Term

    def run(self, rows: Rows, context: Context) -> Rows:
        return unify_column(self.pattern, build(self.built, rows, context.symbols), rows, context.symbols)


@dataclass(frozen=True)
class NoneOf:
    """There is no way to satisfy the steps."""

    steps: tuple[Step, ...]

    def run(self, rows: Rows, context: Context) -> Rows:
        numbered = rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)})
        left = np.ones(rows.n, dtype=bool)
        found = run_steps(self.steps, numbered, context)
        if found.n:
            left[found.columns["#row"]] = False
        return rows.take(left)


@dataclass(frozen=True)
class AnyOf:
    """At least one of the branches can be satisfied."""

    branches: tuple[tuple[Step, ...], ...]
    names: tuple[str, ...]

    def run(self, rows: Rows, context: Context) -> Rows:
        parts = [run_steps(branch, rows, context) for branch in self.branches]
        parts = [part.keep([*rows.columns, *self.names]) for part in parts if part.n]
        return concatenate(parts) if parts else rows.take(np.zeros(rows.n, dtype=bool))


@dataclass(frozen=True)
class AnyClause:
    """At least one clause of a goal's predicate is satisfied; each answer counts once."""

    branches: tuple[tuple[Step, ...], ...]
    outputs: tuple[str, ...]
    goal: Term

    def run(self, rows: Rows, context: Context) -> Rows:
        numbered = rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)})
        parts = [run_steps(branch, numbered, context) for branch in self.branches]
        answers = [Rows(part.n, part.keep(["#row", *self.outputs]).columns) for part in parts if part.n]
        if not answers:
            return rows.take(np.zeros(rows.n, dtype=bool))
        found = concatenate(answers).distinct()
        return rows.take(found.columns["#row"]).with_columns({name: found.columns[name] for name in self.outputs})


@dataclass(frozen=True)
class Forget:
    """Drops columns that nothing asks for any more."""

    names: tuple[str, ...]

    def run(self, rows: Rows, context: Context) -> Rows:
        return Rows(rows.n, {n: c for n, c in rows.columns.items() if n not in self.names}, rows.times)


@dataclass(frozen=True)
class Gather:
    """Collects over the distinct solutions of the steps, one answer per row."""

    template: Term
    steps: tuple[Step, ...]
    inner: tuple[str, ...]
    result: Term
    aggregate: Literal["list", "count", "sum", "max", "min", "bag", "set"]

    def run(self, rows: Rows, context: Context) -> Rows:
        numbered = rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)})
        found = run_steps(self.steps, numbered, context)
        if found.n:
            found = Rows(found.n, found.keep([*self.inner, "#row"]).columns).distinct()
            owner = found.columns["#row"]
        else:
            owner = np.empty(0, dtype=np.int64)
        if self.aggregate == "count":
            counts = np.bincount(owner, minlength=rows.n).astype(np.int64)
            return unify_column(self.result, integer_words(counts), rows, context.symbols)
        return self.collected(rows, found, owner, context)

    def collected(self, rows: Rows, found: Rows, owner: Int64, context: Context) -> Rows:
        items: list[list[Term]] = [[] for _ in range(rows.n)]
        if found.n:
            names = list(variables(self.template))
            columns = [context.symbols.terms(found.columns[name]) for name in names]
            for i, row in enumerate(owner.tolist()):
                binding = {name: column[i] for name, column in zip(names, columns, strict=True)}
                items[row].append(substitute(self.template, binding))
        results = [_aggregate(self.aggregate, sorted(each, key=standard_order_key)) for each in items]
        exists = np.array([result is not None for result in results], dtype=bool)
        words = context.symbols.words(result for result in results if result is not None)
        return unify_column(self.result, words, rows.take(exists), context.symbols)


@dataclass(frozen=True)
class CountHolding(Gather):
    """Counts the FVPs of one pattern that hold at the rows' time-points, without looking at each of them.

    The unbound patterns of its only step are variables of their own: every FVP that fits is one solution.
    """

    @property
    def counted(self) -> HoldsNow:
        (step,) = self.steps
        assert isinstance(step, HoldsNow)
        return step

    def run(self, rows: Rows, context: Context) -> Rows:
        assert rows.times is not None
        table, patterns = context.fluents(self.counted.key), self.counted.patterns
        constants = tuple((i, context.symbols.word(p)) for i, p in enumerate(patterns) if is_ground(p))
        some = table.restricted(constants)[0] if constants else table
        assert isinstance(some, FluentTable)
        positions = tuple(i for i in bound_positions(patterns, rows.columns) if not is_ground(patterns[i]))
        keys = [build(patterns[i], rows, context.symbols) for i in positions]
        counts = some.n_holding(keys, positions, rows.times)
        return unify_column(self.result, integer_words(counts), rows, context.symbols)


def counts_holding(steps: Sequence[Step], bound: set[str]) -> bool:
    """Whether to count the solutions of the steps is to count FVPs that hold, given the variables that are bound."""
    if len(steps) != 1 or not isinstance(steps[0], HoldsNow):
        return False
    patterns = steps[0].patterns
    at = bound_positions(patterns, bound)
    unbound = [pattern for i, pattern in enumerate(patterns) if i not in at]
    names = {pattern.name for pattern in unbound if isinstance(pattern, Var)}
    return len(names) == len(unbound)


def _aggregate(kind: str, items: list[Term]) -> Term | None:
    if kind in ("list", "bag"):
        return list_term(items)
    if kind == "set":
        return list_term(dict.fromkeys(items))
    numbers = [evaluate(item) for item in items]
    if kind == "sum":
        total: Int | Float = Int(0)
        for number in numbers:
            total = evaluate(Struct("+", (total, number)))
        return total
    if not numbers:
        return None
    return (max if kind == "max" else min)(numbers, key=lambda number: number.value)


@dataclass(frozen=True)
class GroundHead:
    """Lets the unbound variables of a head range over its grounding.

    The arguments of an effect range over those that some value of the fluent is grounded for.
    """

    head: Term
    is_effect: bool = False

    def run(self, rows: Rows, context: Context) -> Rows:
        return context.ground(self.head, rows, over_all_values=self.is_effect)


@dataclass(frozen=True)
class RangeHead:
    """Lets one variable of a head without a grounding range over its sort.

    In the head of a termination, it ranges also over the FVPs that are initiated or hold, which may be in no sort.
    """

    head: Term
    name: str
    is_termination: bool = False

    def run(self, rows: Rows, context: Context) -> Rows:
        return _times_members(rows, self.name, context.head_members(self))


def _times_members(rows: Rows, name: str, members: Int64) -> Rows:
    """The rows with each of the members for a variable."""
    owner = np.repeat(np.arange(rows.n, dtype=np.int64), len(members))
    return rows.take(owner).with_columns({name: np.tile(members, rows.n)})


@dataclass(frozen=True)
class RangeOver:
    """Lets a variable of a rule over intervals range over its sort, and over what is known of fluents it stands in.

    The `pattern` tells the sort. `known` are the keys and patterns of the fluents. If `is_any`, some value is enough.
    With an `id` the values that are known in a stretch stay in the range for the stretches to come.
    """

    name: str
    pattern: Term | None
    known: tuple[tuple[Key, tuple[Term, ...]], ...]
    is_any: bool = False
    id: NodeId | None = None

    def run(self, rows: Rows, context: Context) -> Rows:
        members = context.members(self, self.known_members(context))
        return _times_members(rows, self.name, members[:1] if self.is_any else members)

    def known_members(self, context: Context) -> Int64:
        """The values that the variable has in what is known of the fluents."""
        tables = [(context.fluents(key), patterns) for key, patterns in self.known]
        found = [join(one_row(), table, patterns, context.symbols)[0] for table, patterns in tables if table.n]
        return np.unique(np.concatenate([rows.columns[self.name] for rows in found])) if found else _NOBODY
