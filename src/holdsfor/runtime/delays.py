"""Delayed effects in a time range: set-up by initiations, effects that are due, and effects that are pending at its
end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.pending import Pending
from holdsfor.columns.tables import PointTable, empty_points
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.delays import NEVER, Breaks, EffectSchedule, due_times, schedule_effects
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys, rows_with_a_partner
from holdsfor.physical.arithmetic import number_column
from holdsfor.physical.operators.operator import run_operators
from holdsfor.physical.patterns import build, join, unify_column
from holdsfor.physical.plan import PlannedDelay, PlannedPostponement
from holdsfor.physical.rows import Rows, concatenate_rows, one_row
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Int, Struct, Term, substitute, variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["DelayedEffects", "DueEffects", "SetUp", "counted_pending", "delayed_effects", "joined_set_ups", "set_up_by"]


@dataclass(frozen=True)
class SetUp:
    """Effects of one declaration: `rows` are the bindings at the time-points of the initiations.

    The columns `#0`, `#1`, … of the rows are the arguments and the value of the source. Where `starts` is false, the
    initiation was broken at its own time-point, in an earlier time range.
    """

    rows: Rows
    delays: Int64
    is_postponable: NDArray[np.bool_]
    starts: NDArray[np.bool_]

    @property
    def times(self) -> Int64:
        assert self.rows.times is not None
        return self.rows.times

    @property
    def due(self) -> Int64:
        return due_times(self.times, self.delays)

    @property
    def sources(self) -> list[Int64]:
        """The arguments and the value of the sources."""
        return [self.rows.columns[name] for name in self.rows.columns if name.startswith("#")]

    def take(self, mask: NDArray[np.bool_]) -> SetUp:
        return SetUp(self.rows.take(mask), self.delays[mask], self.is_postponable[mask], self.starts[mask])


def joined_set_ups(given: Iterable[SetUp | None]) -> SetUp | None:
    """The effects of one declaration from several parts."""
    parts = [each for each in given if each is not None and each.rows.n]
    if len(parts) < 2:
        return parts[0] if parts else None
    return SetUp(
        concatenate_rows([each.rows for each in parts]),
        np.concatenate([each.delays for each in parts]),
        np.concatenate([each.is_postponable for each in parts]),
        np.concatenate([each.starts for each in parts]),
    )


@dataclass(frozen=True)
class DueEffects:
    """The effects that are due in a time range, each row with its source.

    An effect that is not `is_firm` is postponed by an initiation of its source at the same time-point.
    """

    effects: PointTable
    sources: list[Int64]
    is_firm: NDArray[np.bool_]

    def take(self, positions: Int64 | NDArray[np.bool_]) -> DueEffects:
        """The effects at the positions, or where a mask is true."""
        rows: Int64 = positions.nonzero()[0] if positions.dtype == np.bool_ else positions.astype(np.int64, copy=False)
        return DueEffects(self.effects.take(rows), [column[rows] for column in self.sources], self.is_firm[rows])


@dataclass(frozen=True)
class DelayedEffects:
    """All effects that one declaration sets up in a time range, and their outcomes."""

    set_up: SetUp
    schedule: EffectSchedule
    is_contested: NDArray[np.bool_] | None = None

    def waiting(self, at: int) -> SetUp:
        """The effects that matter from a time-point on: pending effects, and executed ones that block others."""
        set_up = replace(self.set_up, starts=self.schedule.starts)
        return set_up.take(self.schedule.waits(set_up.times, set_up.due, set_up.is_postponable, at))

    def due(self, delay: PlannedDelay, context: Evaluation) -> DueEffects:
        """The initiations or terminations in the time range: effects that are due and satisfy their conditions."""
        due = self.set_up.due
        acts = self.schedule.acts(due, self.set_up.is_postponable, self.is_contested)
        acts &= (due >= context.time_range.first) & (due <= context.time_range.last)
        rows = self.set_up.rows.take(acts)
        firm = ~self.set_up.is_postponable[acts]
        numbered = Rows(rows.n, {**rows.columns, "#row": np.arange(rows.n, dtype=np.int64)}, due[acts])
        rows = run_operators(delay.when_due, numbered, context)
        if rows.n == 0:
            nothing = empty_points(delay.target_key[1] + 1)
            return DueEffects(nothing, [nothing.times] * len(delay.source), np.empty(0, dtype=bool))
        assert rows.times is not None
        columns = [build(pattern, rows, context.symbols) for pattern in delay.target]
        sources = [rows.columns[f"#{i}"] for i in range(len(delay.source))]
        found = DueEffects(PointTable((*columns, rows.times), rows.n), sources, firm[rows.columns["#row"]])
        numbers = found.effects.numbers(tuple(range(delay.target_key[1])), context.instances)
        inside = context.domains.inside((True, *delay.target_key), numbers, None, context, context.version)
        return found if inside is None else found.take(inside)


def counted_pending(delay: PlannedDelay, set_up: SetUp) -> Pending:
    """The number of pending effects of a declaration: one for each source and due time."""
    name, arity = delay.target_key
    _, first = dense_ids([*set_up.sources, set_up.due], set_up.rows.n)
    return Pending(f"{name}/{arity}", len(first), int(set_up.due.min()))


def delayed_effects(
    delay: PlannedDelay,
    initiations: PointTable,
    terminations: PointTable,
    firm: PointTable | None,
    carried: SetUp | None,
    context: Evaluation,
) -> DelayedEffects | None:
    """The effects of a declaration, given all initiations and terminations of its source's fluent; None if empty.

    `firm` are the initiations that do not come from postponable effects, if there are such effects.
    """
    new = set_up_by(delay, initiations, context)
    parts = [part for part in (carried, new) if part is not None and part.rows.n]
    if not parts:
        return None
    set_up = _distinct_set_ups(parts)
    sources, first = dense_ids(set_up.sources, set_up.rows.n)
    effects, _ = dense_ids([*set_up.rows.columns.values(), set_up.delays], set_up.rows.n)
    breaks = _breaks([column[first] for column in set_up.sources], initiations, terminations, context)
    earlier = (sources[~set_up.starts], set_up.times[~set_up.starts])
    broken, times = concatenate_columns([earlier, breaks.of_sources])
    breaks = replace(breaks, of_sources=(broken, times))
    is_contested = None
    if firm is not None and delay.may_contend:
        at = [*set_up.sources, set_up.due]
        is_contested = ~rows_with_a_partner(at, set_up.rows.n, firm.columns, firm.n)
    schedule = schedule_effects(sources, effects, set_up.times, set_up.is_postponable, breaks)
    return DelayedEffects(set_up, schedule, is_contested)


def _distinct_set_ups(parts: Sequence[SetUp]) -> SetUp:
    """The effects of all parts, each once."""
    rows = concatenate_rows([part.rows for part in parts])
    delays = np.concatenate([part.delays for part in parts])
    is_postponable = np.concatenate([part.is_postponable for part in parts])
    starts = np.concatenate([part.starts for part in parts])
    assert rows.times is not None
    _, first = dense_ids([*rows.columns.values(), delays, rows.times], rows.n)
    return SetUp(rows.take(first), delays[first], is_postponable[first], starts[first])


def set_up_by(delay: PlannedDelay, initiations: PointTable, context: Evaluation) -> SetUp | None:
    """The effects that initiations would set up without earlier effects; None if there are none."""
    rows, partner = join(one_row(), initiations, delay.source, context.symbols)
    if rows.n == 0:
        return None
    sources = {f"#{i}": column[partner] for i, column in enumerate(initiations.columns[:-1])}
    rows = Rows(rows.n, {**rows.columns, **sources}, initiations.times[partner])
    rows = run_operators(delay.set_up, rows, context)
    if rows.n == 0:
        return None
    is_postponable = np.zeros(rows.n, dtype=bool)
    for postponement in delay.postponements:
        is_postponable |= _is_postponed(postponement, rows, len(sources), context)
    return SetUp(rows, _lengths(delay, rows, context), is_postponable, np.ones(rows.n, dtype=bool))


def _is_postponed(
    postponement: PlannedPostponement, rows: Rows, n_columns: int, context: Evaluation
) -> NDArray[np.bool_]:
    found = Rows(rows.n, {"#row": np.arange(rows.n, dtype=np.int64)})
    for i, pattern in zip(range(n_columns), postponement.columns, strict=True):
        words = rows.columns[f"#{i}"][found.columns["#row"]]
        found = unify_column(pattern, words, found, context.symbols)
    found = run_operators(postponement.operators, found, context)
    mask = np.zeros(rows.n, dtype=bool)
    if found.n:
        mask[found.columns["#row"]] = True
    return mask


def _lengths(delay: PlannedDelay, rows: Rows, context: Evaluation) -> Int64:
    """The delays in time, positive multiples of the tick."""
    lengths = number_column(delay.delay, rows, context.symbols)
    if lengths is None or lengths.dtype != np.int64:
        return _evaluated(delay, rows, context)
    wrong = np.flatnonzero((lengths <= 0) | (lengths % context.time_range.tick != 0))
    if len(wrong):
        _refuse_length(delay, rows, int(wrong[0]), Int(int(lengths[wrong[0]])), context)
    return lengths.astype(np.int64)


def _evaluated(delay: PlannedDelay, rows: Rows, context: Evaluation) -> Int64:
    """The delays row by row, for columns that are not integers; a delay beyond the last time-point is never due."""
    lengths: list[int] = []
    for i in range(rows.n):
        binding = {name: context.symbols.term(int(rows.columns[name][i])) for name in variables(delay.delay)}
        length = substitute(delay.delay, binding)
        if not isinstance(length, Int) or length.value <= 0 or length.value % context.time_range.tick:
            _refuse_length(delay, rows, i, length, context)
        lengths.append(min(length.value, NEVER))
    return np.array(lengths, dtype=np.int64)


def _refuse_length(delay: PlannedDelay, rows: Rows, row: int, length: Term, context: Evaluation) -> NoReturn:
    words = [int(rows.columns[f"#{i}"][row]) for i in range(len(delay.source))]
    *arguments, value = (context.symbols.term(word) for word in words)
    fluent = Struct(delay.key[0], tuple(arguments)) if arguments else Atom(delay.key[0])
    fvp = show(Struct("=", (fluent, value)))
    if isinstance(length, Int) and length.value > 0:
        expected = f"a multiple of the clock tick {context.time_range.tick}"
        message = f"the delay of `{fvp}` is {length.value}, expected {expected}"
        raise ExecutionProblem(Diagnostic("HF608", message, delay.span, "effects are due at time-points"))
    message = f"the delay of `{fvp}` is `{show(length)}`, expected a positive integer"
    raise ExecutionProblem(Diagnostic("HF608", message, delay.span, "check the conditions that compute it"))


def _breaks(sources: Sequence[Int64], initiations: PointTable, terminations: PointTable, context: Evaluation) -> Breaks:
    """The breaks of sources, given as distinct arguments and values."""
    *arguments, values = sources
    width, instances = tuple(range(len(arguments))), context.instances
    numbers = instances.numbers(arguments, len(values))
    numbers = np.concatenate((numbers, *(table.numbers(width, instances) for table in (initiations, terminations))))
    ids = dense_ids([numbers], len(numbers))[0]
    fluents, initiated, terminated = np.split(ids, (len(values), len(values) + initiations.n))
    words, times = terminations.columns[-2:]
    row, partner = pairs_of_equal_keys([fluents, values], len(values), [terminated, words], terminations.n)
    is_any = words == ANY_VALUE
    others = initiated, initiations.columns[-2], initiations.times
    return Breaks(fluents, values, (row, times[partner]), (terminated[is_any], times[is_any]), others)
