"""Statically determined fluents on columns: interval lists of all instances of a rule at once.

A list of a rule is a relation: the variables it varies by, and intervals. An instance without intervals has no rows; it
is only enumerated where it matters, for complements, for lists of different variables in one union, and for predicates
of the background knowledge over lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import FluentTable, Key, empty_fluents, stacked
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys
from holdsfor.kernels.overlaps import overlapping_pairs
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, intersect_intervals, merge_intervals, subtract_intervals, unite_intervals
from holdsfor.logical.nodes import step_id
from holdsfor.physical.arithmetic import number_column
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.operator import run_operators
from holdsfor.physical.patterns import build, join
from holdsfor.physical.planner import Planner, Shape, fvp_patterns
from holdsfor.physical.rows import Rows, one_row
from holdsfor.prolog import evaluate
from holdsfor.runtime.allen_constructs import Construct
from holdsfor.runtime.cut_relations import Operand, combined, reaching_back, split_at_cuts, with_cuts
from holdsfor.runtime.interval_lists import Lists, natural_join, onto
from holdsfor.runtime.interval_predicates import intervals_of_term, is_interval_list, make_one_by_one, term_of_intervals
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Duration,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    Not,
    RelativeComplement,
    Test,
    Union,
    step_lists,
    step_variables,
)
from holdsfor.syntax.terms import Term, Var, is_ground, substitute, variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["evaluate_interval_rules"]


def evaluate_interval_rules(rules: Sequence[IntervalRule], context: Evaluation) -> tuple[Key, FluentTable]:
    """The maximal intervals that the rules of one component give its FVPs."""
    key, _ = fvp_patterns(rules[0].fvp)
    parts: list[FluentTable] = []
    values: list[int | None] = []
    for rule in rules:
        table, value = _Rule(rule, context).table()
        if table.n:
            parts.append(table)
            values.append(value)
    if not parts:
        return key, empty_fluents(key[1])
    together = stacked(parts)
    if None not in values and len(set(values)) == len(values):
        return key, together
    return key, _maximal(together, context.symbols.instances, key[1])


def _maximal(table: FluentTable, instances: TupleIds, width: int) -> FluentTable:
    numbers = table.arguments(instances)
    ids, first = dense_ids((numbers, table.values), table.n)
    merged, starts, ends = merge_intervals(ids, table.starts, table.ends)
    rows = first[merged]
    return FluentTable.numbered(instances, width, numbers[rows], (table.values[rows], starts, ends))


class _Rule:
    """One rule over one stretch."""

    def __init__(self, rule: IntervalRule, context: Evaluation) -> None:
        self.rule = rule
        self.context = context
        self.symbols = context.symbols
        self.planner: Planner = context.domains.planner
        self.lists: dict[str, Lists] = {}
        self.computed: list[Rows] = []
        self.numbering = context.symbols.instances

    def table(self) -> tuple[FluentTable, int | None]:
        """What holds by the rule; also the value, if it is a constant and the intervals are maximal."""
        for index, step in enumerate(self.rule.body):
            if self.context.profile is None:
                self.perform(step)
            else:
                self.perform_and_count(index, step)
        assert isinstance(self.rule.result, Var)
        found = self.tested(self.with_computed(self.lists[self.rule.result.name]))
        shape = self.planner.shape(self.rule.fvp)
        if shape.is_plain and set(shape.arguments or ()) == set(found.names):
            return self.plain_head(shape, found)
        return self.head(shape.key, shape.patterns, found), None

    def plain_head(self, shape: Shape, found: Lists) -> tuple[FluentTable, int]:
        """The head whose instances are those of the list."""
        assert shape.arguments is not None
        assert shape.value is not None
        value = self.symbols.word(shape.value)
        numbers = found.numbers(shape.arguments, self.numbering)
        inside = self.context.domains.inside((True, *shape.key), numbers, value, self.context, self.context.version)
        if inside is not None:
            numbers, found = numbers[inside], found.take(inside)
        values = np.full(found.n, value, dtype=np.int64)
        more = (values, found.starts, found.ends)
        return FluentTable.numbered(self.numbering, shape.key[1], numbers, more), value

    def perform(self, step: IntervalStep) -> None:
        """Let the list of one more step be known."""
        match step:
            case HoldsFor():
                self.lists[step.result.name] = self.holds_for(step)
            case Union(lists, result):
                self.lists[result.name] = self.union([self.operand(t) for t in lists])
            case Intersect(lists, result):
                self.lists[result.name] = self.intersect([self.operand(t) for t in lists])
            case RelativeComplement(base, lists, result):
                self.lists[result.name] = self.subtract(self.operand(base), [self.operand(t) for t in lists])
            case Complement(lists, result):
                self.lists[result.name] = self.complement([self.operand(t) for t in lists], step)
            case Duration():
                self.lists[step.result.name] = self.duration(step)
            case Allen():
                self.lists[step.result.name] = self.allen(step)
            case IntervalCall(is_intervalwise=True):
                self.lists[step.outputs[0]] = self.one_by_one(step)
            case IntervalCall():
                self.call(step)

    def perform_and_count(self, index: int, step: IntervalStep) -> None:
        profile = self.context.profile
        assert profile is not None
        if not isinstance(step, Test | Not):
            read, made = step_lists(step)
            n_read = sum(self.lists[name].n for name in read if name in self.lists)
            with profile.at(("list", self.rule.number, index), n_read) as tally:
                self.perform(step)
                tally.rows_out += sum(self.lists[name].n for name in made if name in self.lists)

    def head(self, key: Key, patterns: Sequence[Term], found: Lists) -> FluentTable:
        if found.n == 0:
            return empty_fluents(key[1])
        columns = [build(pattern, found.rows, self.symbols) for pattern in patterns]
        table = FluentTable((*columns, found.starts, found.ends), found.n)
        value = self.symbols.word(patterns[-1]) if is_ground(patterns[-1]) else columns[-1]
        inside = self.context.domains.inside(
            (True, *key), table.arguments(self.numbering), value, self.context, self.context.version
        )
        return table if inside is None else table.take(inside)

    # -- operands ------------------------------------------------------------------------------------------------------

    def holds_for(self, step: HoldsFor) -> Lists:
        shape = self.planner.shape(step.fvp)
        table = self.context.asked_fluents(shape.key)
        if shape.arguments is not None and shape.value is not None:
            held = table.of_value(self.symbols.word(shape.value), self.numbering)
            return Lists.numbered(shape.arguments, self.numbering, *held)
        if shape.arguments is not None and isinstance(step.fvp.value, Var) and step.some:
            numbers = table.arguments(self.numbering)
            return self.merged(Lists.numbered(shape.arguments, self.numbering, numbers, table.starts, table.ends))
        rows, partner = join(one_row(), table, shape.patterns, self.symbols)
        found = Lists(
            Rows(rows.n, rows.keep(step.instance_variables).columns), table.starts[partner], table.ends[partner]
        )
        return self.merged(found) if step.some else found

    def resumed(self, found: Lists) -> Lists:
        """The part of a list from the settled time-point on; its true starts come back with the result."""
        time_range = self.context.time_range
        if not time_range.is_resumed:
            return found
        inside = found.take(found.ends > time_range.first)
        return inside.with_starts(np.maximum(inside.starts, time_range.first))

    def operand(self, term: Term) -> Lists:
        if isinstance(term, Var):
            return self.lists[term.name]
        return self.resumed(_written_out(term, self.rule))

    def instances(self, names: Sequence[str]) -> Rows:
        """Every combination of values that variables may have, whatever holds."""
        scope = self.planner.scope(self.rule)
        if scope.is_grounded and scope.head >= set(names):
            return self.context.domains.bindings(self.rule.fvp.term, names, self.context, self.context.version)
        return self.ranged(one_row(), names)

    def ranged(self, rows: Rows, names: Sequence[str]) -> Rows:
        """The rows with the values of variables that they lack: as goals, the grounding of the head or sorts say."""
        steps = self.planner.tests(self.rule, frozenset(rows.columns), frozenset(names))
        rows = run_operators(steps, rows, self.context)
        if rows.n == 0:
            return Rows(0, dict.fromkeys(names, _NOTHING))
        return rows.keep(names).distinct()

    # -- operations ----------------------------------------------------------------------------------------------------

    def spread(self, lists: Sequence[Lists]) -> list[Lists]:
        """The lists with the same variables each: one that lacks some is repeated for all their values."""
        names = list(dict.fromkeys(name for each in lists for name in each.names))
        result: list[Lists] = []
        for each in lists:
            if len(each.names) < len(names):
                domain = self.ranged(each.rows.distinct(), names)
                key, starts, ends = onto(domain, each)
                each = Lists(domain.take(key), starts, ends)
            result.append(each)
        return result

    def aligned(self, lists: Sequence[Lists]) -> tuple[list[Keyed], Callable[[Keyed], Lists]]:
        """Lists with the same variables as intervals by number of instance, and the way back.

        Instances of fluents have numbers. Other combinations of words, which may be new ones every time, are numbered
        for the occasion.
        """
        names = lists[0].names
        if all(each.is_numbered(names) for each in lists):
            numbers = [each.numbers(names, self.numbering) for each in lists]
            return _keyed(numbers, lists), lambda found: Lists.numbered(names, self.numbering, *found)
        columns = [np.concatenate([each.rows.columns[name] for each in lists]) for name in names]
        ids, first = dense_ids(columns, sum(each.n for each in lists))
        rows = Rows(len(first), {name: column[first] for name, column in zip(names, columns, strict=True)})
        numbers = np.split(ids, np.cumsum([each.n for each in lists])[:-1])
        return _keyed(numbers, lists), lambda found: Lists(rows.take(found[0]), found[1], found[2])

    def union(self, lists: Sequence[Lists]) -> Lists:
        if not lists:
            return Lists(Rows(0, {}), _NOTHING, _NOTHING)
        lists = self.spread(lists)
        lists = [each for each in lists if each.n] or lists[:1]
        if len(lists) == 1:
            return lists[0]
        keyed, back = self.aligned(lists)
        return back(unite_intervals(keyed))

    def merged(self, intervals: Lists) -> Lists:
        """The maximal ones of any intervals."""
        keyed, back = self.aligned([intervals])
        return back(merge_intervals(*keyed[0]))

    def intersect(self, lists: Sequence[Lists]) -> Lists:
        """Lists that share variables are combined by instance, others by the intervals that overlap."""
        names = lists[0].names
        if all(set(each.names) == set(names) for each in lists):
            keyed, back = self.aligned(lists)
            return back(intersect_intervals(keyed, len(lists)))
        result = lists[0]
        for each in lists[1:]:
            if set(result.names) & set(each.names) or not result.names or not each.names:
                keys = natural_join(result.rows.distinct(), each.rows.distinct())
                key, starts, ends = intersect_intervals([onto(keys, result), onto(keys, each)], 2)
                result = Lists(keys.take(key), starts, ends)
            else:
                left, right = overlapping_pairs(result.starts, result.ends, each.starts, each.ends)
                rows = result.rows.take(left).with_columns(each.rows.take(right).columns)
                starts = np.maximum(result.starts[left], each.starts[right])
                result = Lists(rows, starts, np.minimum(result.ends[left], each.ends[right]))
        return result

    def subtract(self, base: Lists, others: Sequence[Lists]) -> Lists:
        extra = {name for each in others for name in each.names} - set(base.names)
        if extra:
            base = self.spread([base, Lists(Rows(0, dict.fromkeys(extra, _NOTHING)), _NOTHING, _NOTHING)])[0]
        others = [each for each in others if each.n]
        if not others or base.n == 0:
            return base
        if all(len(each.names) == len(base.names) for each in others):
            keyed, back = self.aligned([base, *others])
            return back(subtract_intervals(keyed[0], keyed[1:]))
        keys = base.rows.distinct()
        aligned = [onto(keys, each) for each in others]
        key, starts, ends = subtract_intervals(onto(keys, base), aligned)
        return Lists(keys.take(key), starts, ends)

    def complement(self, lists: Sequence[Lists], step: Complement) -> Lists:
        names = list(dict.fromkeys(name for each in lists for name in each.names))
        scope = self.planner.scope(self.rule)
        is_grounded = scope.is_grounded and scope.head >= set(names)
        keys, first = self.context.complemented_instances(
            self.instances(names), step_id(self.rule, step), is_grounded=is_grounded
        )
        whole = Lists(keys, first, np.full(keys.n, OPEN, dtype=np.int64))
        whole.numbers(names, self.numbering)
        return self.subtract(whole, lists)

    def duration(self, step: Duration) -> Lists:
        whole = self.context.with_true_starts(self.operand(step.intervals), step_id(self.rule, step))
        whole = self.with_data(whole, variables(step.bound))
        if whole.rows.n == 0:
            return whole
        now = self.context.time_range.after_last
        measured = whole.with_starts(self.measured_from(step.intervals, whole))
        lengths = np.where(measured.ends == OPEN, now, measured.ends) - measured.starts
        limits = self.bounds(step, whole)
        finite = limits[np.isfinite(limits)]
        if len(finite):
            self.context.longest[step_id(self.rule, step)] = math.ceil(finite.max())
            self.context.expect_crossings(measured, limits)
        return whole.take(lengths > limits if step.comparison == "greater" else lengths < limits)

    def measured_from(self, operand: Term, whole: Lists) -> Int64:
        """Where the intervals of a list begin, those of an input fluent where they truly begin if they are cut."""
        cuts, starts = self.cuts_of(operand), whole.starts.copy()
        rows, partner = _equal_rows(whole, cuts, cuts.starts)
        starts[rows] = cuts.ends[partner]
        return starts

    def cuts_of(self, operand: Term) -> Lists:
        """The cut intervals of a list that is an input fluent: where each is seen first, and its true start as end."""
        asked = [step for step in self.rule.body if isinstance(step, HoldsFor) and step.result == operand]
        shape = self.planner.shape(asked[0].fvp) if asked and not asked[0].some else None
        cuts = None if shape is None else self.context.input_cuts.get(shape.key)
        if shape is None or cuts is None:
            return Lists(Rows(0, {}), _NOTHING, _NOTHING)
        rows, partner = join(one_row(), cuts, shape.patterns, self.symbols)
        return Lists(rows, cuts.starts[partner], cuts.ends[partner])

    def allen(self, step: Allen) -> Lists:
        place = step_id(self.rule, step)
        sources, targets = self.operand(step.source), self.operand(step.target)
        if self.context.is_as_if_whole:
            one, other = self.context.related[place]
            return combined((reaching_back(one, sources), reaching_back(other, targets)), step.mode)
        own = self.split(step.source, sources), self.split(step.target, targets)
        kept, wanted = self.context.state.allen.get(place), self.wanted(sources, targets)
        more = wanted, kept, self.context.time_range, self.context.allen_memory
        construct = with_cuts(Construct(step, own[0].whole, own[1].whole, *more), *own, kept)
        self.context.constructs[place] = construct
        if isinstance(construct, Construct) and not self.context.cuts:
            return construct.answer()
        self.context.related[place] = construct.related()
        return combined(self.context.related[place], step.mode)

    def split(self, operand: Term, lists: Lists) -> Operand:
        """A list without its cut intervals, and these."""
        cuts, time_range = self.cuts_of(operand), self.context.time_range
        seen = np.maximum(cuts.starts, time_range.first) if time_range.is_resumed else cuts.starts
        rows, partner = _equal_rows(lists, cuts, seen)
        return split_at_cuts(lists, rows, cuts.ends[partner], cuts.starts[partner])

    def wanted(self, sources: Lists, targets: Lists) -> Rows | None:
        """The combinations of two lists that the declared instances of the head leave, or None if that is no matter."""
        names = dict.fromkeys((*sources.names, *targets.names))
        is_declared = self.context.domains.is_declared((True, *fvp_patterns(self.rule.fvp)[0]))
        if not is_declared or len(names) in (len(sources.names), len(targets.names)):
            return None
        return GroundHead(self.rule.fvp.term).run(one_row(), self.context).keep(list(names)).distinct()

    def bounds(self, step: Duration, whole: Lists) -> NDArray[np.float64] | Int64:
        """The bound of each interval."""
        values = number_column(step.bound, whole.rows, self.symbols)
        if values is not None:
            return values
        names = list(variables(step.bound))
        columns = [self.symbols.terms(whole.rows.columns[name]) for name in names]
        rows = (
            [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] if names else [{}] * whole.rows.n
        )
        return np.array([evaluate(substitute(step.bound, row)).value for row in rows], dtype=np.float64)

    def tested(self, found: Lists, wanted: frozenset[str] | None = None) -> Lists:
        """The instances that satisfy the atemporal goals, with values for the head, or for the wanted variables."""
        steps = self.planner.tests(self.rule, frozenset(found.names), wanted)
        if not steps:
            return found
        rows = found.rows.with_columns({"#row": np.arange(found.n, dtype=np.int64)})
        rows = run_operators(steps, rows, self.context)
        if rows.n == 0:
            return found.take(np.empty(0, dtype=np.int64))
        row = rows.columns["#row"]
        columns = {name: column for name, column in rows.columns.items() if name != "#row"}
        return Lists(Rows(rows.n, columns), found.starts[row], found.ends[row])

    def with_data(self, found: Lists, names: Iterable[str]) -> Lists:
        """The list with values for variables that it may lack: those that the goals leave them."""
        names = list(dict.fromkeys((*found.names, *names)))
        if len(names) == len(found.names):
            return found
        found = self.tested(found, frozenset(names))
        if found.n == 0:
            return Lists(Rows(0, dict.fromkeys(names, _NOTHING)), _NOTHING, _NOTHING)
        return self.merged(Lists(found.rows.keep(names), found.starts, found.ends))

    def with_computed(self, found: Lists) -> Lists:
        """The list restricted to the instances for which predicates over lists computed data."""
        for rows in self.computed:
            numbered = found.rows.with_columns({"#row": np.arange(found.rows.n, dtype=np.int64)})
            joined = natural_join(numbered, rows)
            row = joined.columns["#row"]
            columns = {name: column for name, column in joined.columns.items() if name != "#row"}
            found = Lists(Rows(joined.n, columns), found.starts[row], found.ends[row])
        return found

    # -- predicates over lists -----------------------------------------------------------------------------------------

    def one_by_one(self, step: IntervalCall) -> Lists:
        """What an interval-wise predicate makes of whole intervals."""
        place = step_id(self.rule, step)
        whole = self.context.with_true_starts(self.lists[step.inputs[0]], place)
        whole = self.with_data(whole, [name for name in step_variables(step) if name not in step.outputs])
        made = make_one_by_one(step, whole, self.context.state.made.get(place), self.context)
        self.context.made[place] = made
        found, time_range = self.merged(made.all()), self.context.time_range
        return found.take(found.ends > time_range.first) if time_range.is_resumed else found

    def call(self, step: IntervalCall) -> None:
        """A goal of the background knowledge, instance by instance, with the lists as terms."""
        given = [name for name in step.inputs if name in self.lists]
        computed = {name for rows in self.computed for name in rows.columns}
        data = [name for name in variables(step.goal) if name not in given and name not in step.outputs]
        own = [name for name in data if name not in computed and name in self.planner.scope(self.rule).names]
        names = list(
            dict.fromkeys([*(n for list_ in given for n in self.lists[list_].names if n not in computed), *own])
        )
        keys = self.instances(names)
        for rows in self.computed:
            keys = natural_join(keys, rows)
        by_list = {name: _by_instance(onto(keys, self.lists[name]), keys.n) for name in given}
        answers: dict[str, list[tuple[int, int, int]]] = {name: [] for name in step.outputs}
        extra: list[tuple[int, dict[str, Term]]] = []
        for i in range(keys.n):
            binding: dict[str, Term] = {name: self.symbols.term(int(keys.columns[name][i])) for name in keys.columns}
            binding |= {name: term_of_intervals(by_list[name][i]) for name in given}
            for answer in self.context.engine.solve(substitute(step.goal, binding)):
                instance = len(extra)
                extra.append(
                    (i, {n: t for n, t in answer.items() if not isinstance(t, Var) and not is_interval_list(t)})
                )
                for name in step.outputs:
                    if name in answer and is_interval_list(answer[name]):
                        answers[name] += [(instance, s, e) for s, e in intervals_of_term(answer[name], self.rule.span)]
        self.bind(step, keys, extra, answers)

    def bind(
        self,
        step: IntervalCall,
        keys: Rows,
        extra: list[tuple[int, dict[str, Term]]],
        answers: dict[str, list[tuple[int, int, int]]],
    ) -> None:
        rows = keys.take(np.array([i for i, _ in extra], dtype=np.int64))
        more = dict.fromkeys(name for _, values in extra for name in values)
        rows = rows.with_columns({name: self.symbols.words(values[name] for _, values in extra) for name in more})
        self.computed.append(rows)
        for name in step.outputs:
            if name not in more:
                found = np.array(answers[name], dtype=np.int64).reshape(-1, 3)
                self.lists[name] = self.merged(Lists(rows.take(found[:, 0]), found[:, 1], found[:, 2]))


_NOTHING = np.empty(0, dtype=np.int64)


def _equal_rows(lists: Lists, others: Lists, starts: Int64) -> tuple[Int64, Int64]:
    """The pairs of an interval of a list and another one of the same instance that begins there."""
    names = [name for name in lists.names if name in others.names]
    own, known = ([each.rows.columns[name] for name in names] if others.n else [] for each in (lists, others))
    return pairs_of_equal_keys([*own, lists.starts], lists.n, [*known, starts], others.n)


def _keyed(numbers: Sequence[Int64], lists: Sequence[Lists]) -> list[Keyed]:
    return [(own, each.starts, each.ends) for own, each in zip(numbers, lists, strict=True)]


def _by_instance(keyed: tuple[Int64, Int64, Int64], n: int) -> list[list[tuple[int, int]]]:
    result: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for key, start, end in zip(*(column.tolist() for column in keyed), strict=True):
        result[key].append((start, end))
    return [sorted(intervals) for intervals in result]


def _written_out(term: Term, rule: IntervalRule) -> Lists:
    intervals = intervals_of_term(term, rule.span)
    n = len(intervals)
    zero = np.zeros(n, dtype=np.int64)
    starts = np.array([s for s, _ in intervals], dtype=np.int64)
    ends = np.array([e for _, e in intervals], dtype=np.int64)
    _, starts, ends = merge_intervals(zero, starts, ends)
    return Lists(Rows(len(starts), {}), starts, ends)
