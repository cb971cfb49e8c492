"""Join with facts of the background knowledge."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import Key
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording, is_scan, join_kind
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import is_filter, is_free, join, named_variables, prune_patterns, semijoin
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term

__all__ = ["JoinFacts"]


@dataclass(frozen=True)
class JoinFacts(Operator):
    """A fact of the background knowledge, or a member of a dynamic domain."""

    key: Key
    patterns: tuple[Term, ...]

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | named_variables(self.patterns)

    def pruned(self, bound: Collection[str], keep: Collection[str]) -> JoinFacts:
        return replace(self, patterns=prune_patterns(self.patterns, bound, keep))

    def run(self, rows: Rows, context: Context) -> Rows:
        facts = context.facts(self.key)
        if is_filter(self.patterns, rows.columns):
            return rows.take(semijoin(rows, facts, self.patterns, context.symbols))
        return join(rows, facts, self.patterns, context.symbols)[0]

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
        if not is_free(self.patterns, rows.columns):
            return None
        return semijoin(rows, context.facts(self.key), self.patterns, context.symbols)

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return compiler.indexed(compiler.context.facts(self.key), self.patterns, bound, is_timed=False)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        key = "" if is_scan(self.patterns, bound, is_timed=is_timed) else wording.key_of(self.patterns, bound)
        how = ", ".join(part for part in (key, f"broadcast {wording.size_of(self.key)}") if part)
        operator = f"{join_kind(key, bound, is_timed=is_timed)} facts"
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description(operator, wording.event(self.key, self.patterns), how, binds)
