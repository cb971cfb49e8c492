"""Join with facts of the background knowledge."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from holdsfor.columns.tables import Key
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording, is_scan, join_kind
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import bound_positions, build, join, named_variables, prune_patterns
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
        if len(bound_positions(self.patterns, rows.columns)) == len(self.patterns):
            return rows.take(facts.has([build(pattern, rows, context.symbols) for pattern in self.patterns], rows.n))
        return join(rows, facts, self.patterns, context.symbols)[0]

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return compiler.indexed(compiler.context.facts(self.key), self.patterns, bound, is_timed=False)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        key = "" if is_scan(self.patterns, bound, is_timed=is_timed) else wording.key_of(self.patterns, bound)
        how = ", ".join(part for part in (key, f"broadcast {wording.size_of(self.key)}") if part)
        operator = f"{join_kind(key, bound, is_timed=is_timed)} facts"
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description(operator, wording.event(self.key, self.patterns), how, binds)
