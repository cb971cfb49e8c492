"""Interval operations as predicates: `union_all/2`, `intersect_all/2`, Allen's relations and the others of the rules.

An interval list is the term `[(S,E),…]` with `inf` as an open end. Lists that a goal writes may be in any order and
overlap; results are maximal intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np

from holdsfor.errors import Hint, did_you_mean
from holdsfor.kernels.allen import Mode, Relation, relate_intervals
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, intersect_intervals, merge_intervals, subtract_intervals
from holdsfor.prolog.arithmetic import value_of
from holdsfor.prolog.database import Foreign
from holdsfor.prolog.problems import GoalProblem, needs_bound, not_a
from holdsfor.prolog.unify import resolve
from holdsfor.query.result_index import Key, RunSettings
from holdsfor.syntax.interval_steps import ALLEN_MODES
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Int, Struct, Term, Var, list_items, list_term

__all__ = ["interval_list", "interval_operations"]

Row = Iterator[tuple[Term, ...]]

_INF = Atom("inf")
_RELATIONS: tuple[Relation, ...] = get_args(Relation)
_MODES: dict[str, Mode] = {name: mode for name, mode in ALLEN_MODES.items()}  # noqa: C416


def interval_list(intervals: Iterator[tuple[int, int]]) -> Term:
    """The intervals as a term.

    >>> from holdsfor.syntax.printer import show
    >>> show(interval_list(iter([(3, 7), (9, OPEN)])))
    '[(3,7),(9,inf)]'
    """
    return list_term(Struct(",", (Int(start), _INF if end == OPEN else Int(end))) for start, end in intervals)


def interval_operations(settings: RunSettings) -> dict[Key, Foreign]:
    """The predicates by name and arity."""
    operations = {
        ("union_all", 2): _union,
        ("intersect_all", 2): _intersect,
        ("relative_complement_all", 3): _relative_complement,
        ("complement_all", 2): _complement,
        ("intDurGreater", 3): _longer,
        ("intDurLess", 3): _shorter,
        ("allen", 5): _allen,
    }
    found: dict[Key, Foreign] = {key: partial(each, settings) for key, each in operations.items()}
    return found | {(relation, 4): partial(_related, relation, settings) for relation in _RELATIONS}


# reading and writing lists


def _intervals(settings: RunSettings, term: Term) -> Keyed:
    """The maximal intervals of a list."""
    whole = resolve(term)
    items, tail = list_items(whole)
    if isinstance(tail, Var):
        raise needs_bound("a list of intervals")
    if tail != EMPTY_LIST:
        raise not_a("a list of intervals", whole)
    bounds = np.array([_bounds(settings, item) for item in items], dtype=np.int64).reshape(-1, 2)
    return merge_intervals(np.zeros(len(bounds), np.int64), bounds[:, 0], bounds[:, 1])


def _bounds(settings: RunSettings, item: Term) -> tuple[int, int]:
    if isinstance(item, Struct) and (item.name, len(item.args)) == (",", 2):
        start = settings.time_point(item.args[0])
        end = OPEN if item.args[1] == _INF else settings.time_point(item.args[1])
        if start is not None and end is not None:
            return start, end
    raise not_a("an interval `(S,E)` of time-points, where `E` may be `inf`", item)


def _lists(settings: RunSettings, term: Term) -> list[Keyed]:
    """The lists of a list of lists."""
    items, tail = list_items(resolve(term))
    if tail != EMPTY_LIST:
        raise not_a("a list of interval lists, such as `[I1, I2]`", tail if isinstance(tail, Var) else resolve(term))
    return [_intervals(settings, item) for item in items]


def _row(given: Sequence[Term], made: Keyed) -> Row:
    return iter([(*given, interval_list(zip(made[1].tolist(), made[2].tolist(), strict=True)))])


# operations


def _union(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    nothing = np.zeros(0, np.int64)
    keys, starts, ends = concatenate_columns([(nothing, nothing, nothing), *_lists(settings, args[0])])
    return _row(args[:1], merge_intervals(keys, starts, ends))


def _intersect(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    lists = _lists(settings, args[0])
    if not lists:
        raise GoalProblem("HF603", "expected at least one list of intervals, found `[]`")
    return _row(args[:1], intersect_intervals(lists, len(lists)))


def _relative_complement(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    return _row(args[:2], subtract_intervals(_intervals(settings, args[0]), _lists(settings, args[1])))


def _complement(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    if settings.start is None:
        what = "the first time-point of the run"
        hint = Hint(f"give `start`, {what}", on_command_line=f"give `--start`, {what}")
        raise GoalProblem("HF631", "the first time-point of the run is not known", hint)
    whole = (np.zeros(1, np.int64), np.array([settings.start]), np.array([OPEN]))
    return _row(args[:1], subtract_intervals(whole, _lists(settings, args[0])))


def _lengths(settings: RunSettings, intervals: Keyed) -> Any:
    """The lengths of intervals. An open interval is as long as it is at the last query time."""
    _, starts, ends = intervals
    if settings.query_time is None and (ends == OPEN).any():
        what = "the last time-point of the run"
        hint = Hint(f"give `end`, {what}", on_command_line=f"give `--end`, {what}")
        raise GoalProblem("HF631", "the length of an open interval is not known", hint)
    tick = settings.tick
    after_last = ((settings.query_time or 0) // tick + 1) * tick
    return np.where(ends == OPEN, after_last, ends) - starts


def _longer(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    intervals, bound = _intervals(settings, args[0]), value_of(args[1])
    return _row(args[:2], _kept(intervals, _lengths(settings, intervals) > bound))


def _shorter(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    intervals, bound = _intervals(settings, args[0]), value_of(args[1])
    return _row(args[:2], _kept(intervals, _lengths(settings, intervals) < bound))


def _kept(intervals: Keyed, which: Any) -> Keyed:
    keys, starts, ends = (column[which] for column in intervals)
    return keys, starts, ends


def _allen(settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    relation, source, target, mode, _ = args
    named = _one_of(relation, _RELATIONS, "an Allen relation")
    made = relate_intervals(named, _intervals(settings, source), _intervals(settings, target), _mode(mode))
    return _row(args[:4], made)


def _related(relation: Relation, settings: RunSettings, args: tuple[Term, ...], run: Any) -> Row:
    source, target, mode, _ = args
    return _row(
        args[:3], relate_intervals(relation, _intervals(settings, source), _intervals(settings, target), _mode(mode))
    )


def _mode(term: Term) -> Mode:
    return _MODES[_one_of(term, tuple(_MODES), "an output mode")]


def _one_of(term: Term, names: tuple[Any, ...], what: str) -> Any:
    if isinstance(term, Atom) and term.name in names:
        return term.name
    problem = not_a(what, term)
    near = did_you_mean(term.name, names) if isinstance(term, Atom) else None
    raise GoalProblem(problem.code, problem.message, near or f"there are {', '.join(f'`{name}`' for name in names)}")
