"""Effects that postpone each other: columns against the sets of terms of the reference evaluator."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import PointTable
from holdsfor.reference import postponement as reference
from holdsfor.runtime.delays import DueEffects
from holdsfor.runtime.recursion.postponement import resolve_postponements
from holdsfor.syntax.terms import Atom, Struct, Term
from tests.unit.kernels.lists import law

NAMES = ["a", "b", "c", "d", "e"]
Case = set[tuple[int, str, str]]
"""Times, sources and effects: entities of one fluent."""

cases: st.SearchStrategy[Case] = st.sets(
    st.tuples(st.integers(0, 1), st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=9
)


def fvp(name: str) -> Term:
    return Struct("=", (Struct("f", (Atom(name),)), Atom("on")))


def by_the_reference(given: Case) -> set[tuple[int, Term]]:
    times = {time for time, _, _ in given}
    effects = {time: {(fvp(s), fvp(e)) for t, s, e in given if t == time} for time in times}
    return {(time, term) for time in times for term in reference.resolve_postponements(effects[time], [])}


def by_the_engine(parts: list[list[tuple[int, str, str]]]) -> set[tuple[int, Term]]:
    symbols = Symbols()
    found = resolve_postponements([due_effects(part, symbols) for part in parts], 2, symbols)
    names, _, times = found.columns
    fluents = [Struct("f", (symbols.term(int(word)),)) for word in names]
    return {(int(time), Struct("=", (f, Atom("on")))) for f, time in zip(fluents, times, strict=True)}


def due_effects(part: list[tuple[int, str, str]], symbols: Symbols) -> DueEffects:
    times = np.array([time for time, _, _ in part], dtype=np.int64)
    sources = symbols.words(Atom(source) for _, source, _ in part)
    effects = symbols.words(Atom(effect) for _, _, effect in part)
    values = symbols.words(Atom("on") for _ in part)
    return DueEffects(PointTable((effects, values, times), len(part)), [sources, values], np.zeros(len(part), bool))


@law
@given(cases, st.integers(1, 3))
def test_the_engine_agrees_with_the_reference(given: Case, n_parts: int) -> None:
    rows = sorted(given, reverse=True)
    assert by_the_engine([rows[i::n_parts] for i in range(n_parts)]) == by_the_reference(given)


def test_nothing_is_due() -> None:
    assert by_the_engine([]) == set()


def test_the_first_in_standard_order_breaks_a_cycle_of_three() -> None:
    """b takes effect, so c (whose source is b) is postponed; then nothing initiates c, and d takes effect."""
    assert by_the_reference({(0, "d", "b"), (0, "b", "c"), (0, "c", "d")}) == {(0, fvp("b")), (0, fvp("d"))}


def test_an_effect_that_depends_on_a_cycle_is_decided_after_it() -> None:
    """a comes first by name, but depends on the cycle of b and c: b takes effect, and postpones a and c."""
    assert by_the_reference({(0, "c", "b"), (0, "b", "c"), (0, "b", "a")}) == {(0, fvp("b"))}
