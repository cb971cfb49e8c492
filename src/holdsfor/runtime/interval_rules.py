"""Statically determined fluents over one time range: the plans of their rules, run and merged."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.columns.tables import FluentTable, Key, concatenate_tables, empty_fluents
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.keys import dense_ids
from holdsfor.kernels.sweep import merge_intervals
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import run_interval_operators
from holdsfor.physical.interval_planner import PlannedIntervalRule, are_maximal

__all__ = ["evaluate_interval_rules"]


def evaluate_interval_rules(rules: Sequence[PlannedIntervalRule], context: IntervalContext) -> tuple[Key, FluentTable]:
    """The maximal intervals of the FVPs of one component's rules."""
    key = rules[0].head.shape.key
    tables = [rule.head.table(run_interval_operators(rule.operators, context), context) for rule in rules]
    found = [(rule, table) for rule, table in zip(rules, tables, strict=True) if table.n]
    if not found:
        return key, empty_fluents(key[1])
    together = concatenate_tables([table for _, table in found])
    if are_maximal([rule for rule, _ in found]):
        return key, together
    return key, _maximal(together, context.symbols.instances, key[1])


def _maximal(table: FluentTable, instances: TupleIds, width: int) -> FluentTable:
    numbers = table.arguments(instances)
    ids, first = dense_ids((numbers, table.values), table.n)
    merged, starts, ends = merge_intervals(ids, table.starts, table.ends)
    rows = first[merged]
    return FluentTable.numbered(instances, width, numbers[rows], (table.values[rows], starts, ends))
