"""A rule depends on the query time if it calls a clause that does; other clauses do not matter."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.runtime.prepared_rules import PreparedRules

CLAUSES = "late(X) :- soon(X), queryTime(Q), Q > 5. soon(_). other(X) :- late(X). fine(1). called(G) :- call(G)."


@pytest.mark.parametrize(
    ("goal", "uses"), [("late(X)", True), ("other(X)", True), ("fine(X)", False), ("called(fine(X))", True)]
)
def test_only_reachable_clauses_count(goal: str, uses: bool) -> None:
    clauses = CLAUSES if "called" in goal else CLAUSES.replace("called(G) :- call(G).", "")
    compiled = compile_text(f"initiatedAt(a(X)=true, T) :- happensAt(e(X), T), {goal}. {clauses}", "rules")
    assert PreparedRules(compiled, Symbols()).uses_query_time is uses
