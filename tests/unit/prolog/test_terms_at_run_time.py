"""Unification, copying and the standard order, as laws."""

from __future__ import annotations

from functools import cmp_to_key

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.prolog import standard_order_key
from holdsfor.prolog.order import compare, same, sort_unique
from holdsfor.prolog.unify import Ref, Trail, copy_term, resolve, unify, unify_or_undo
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, list_term, substitute, variables

pytestmark = pytest.mark.in_turn(2)

LEAVES = st.one_of(
    st.sampled_from("XYZ").map(lambda name: parse_term(name)),
    st.sampled_from("abc").map(Atom),
    st.integers(-2, 2).map(Int),
    st.sampled_from([-1.0, 0.5, 1.0]).map(Float),
)


def _structures(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    args = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.builds(Struct, st.sampled_from("fg"), args)


TERMS: st.SearchStrategy[Term] = st.recursive(LEAVES, _structures, max_leaves=8)


def _with_cells(*terms: Term) -> list[Term]:
    """The terms with one cell for every variable."""
    cells: dict[str, Term] = {name: Ref() for name in variables(*terms)}
    return [substitute(term, cells) for term in terms]


def _is_finite(term: Term) -> bool:
    try:
        resolve(term)
    except Exception:
        return False
    return True


@given(TERMS, TERMS)
def test_unification_is_symmetric(left: Term, right: Term) -> None:
    a, b = _with_cells(left, right)
    c, d = _with_cells(left, right)
    assert unify_or_undo(a, b, Trail()) == unify_or_undo(d, c, Trail())


@given(TERMS, TERMS)
def test_unified_terms_are_the_same(left: Term, right: Term) -> None:
    a, b = _with_cells(left, right)
    if unify(a, b, Trail()) and _is_finite(a) and _is_finite(b):
        assert same(a, b)
        assert resolve(a) == resolve(b)


@given(TERMS, TERMS)
def test_a_failed_unification_can_be_undone(left: Term, right: Term) -> None:
    a, b = _with_cells(left, right)
    before = resolve(a), resolve(b)
    if not unify_or_undo(a, b, Trail()):
        assert (resolve(a), resolve(b)) == before


@given(TERMS, TERMS)
def test_the_trail_undoes_bindings_since_a_mark(left: Term, right: Term) -> None:
    a, b = _with_cells(left, right)
    before = resolve(a), resolve(b)
    trail = Trail()
    trail.stamp = trail.barrier = 1
    unify(a, b, trail)
    trail.undo(0)
    assert (resolve(a), resolve(b)) == before


def test_cells_newer_than_the_choice_point_leave_no_trail() -> None:
    trail = Trail()
    trail.stamp = trail.barrier = 1
    old, new = Ref(0), Ref(1)
    assert unify(old, Atom("a"), trail)
    assert unify(new, Atom("a"), trail)
    assert trail.entries == [old]


@given(TERMS)
def test_a_copy_has_its_own_variables(term: Term) -> None:
    (original,) = _with_cells(term)
    copy = copy_term(original, Trail())
    assert variables(copy).keys().isdisjoint(variables(original))
    assert len(variables(copy)) == len(variables(original))
    assert unify(copy, original, Trail())
    assert resolve(original) == resolve(copy)


@given(TERMS)
def test_a_ground_term_is_shared_not_copied(term: Term) -> None:
    ground = substitute(term, {name: Atom("a") for name in variables(term)})
    assert copy_term(ground, Trail()) is ground
    assert resolve(ground) is ground


@given(TERMS, TERMS, TERMS)
def test_the_standard_order_is_total(a: Term, b: Term, c: Term) -> None:
    assert compare(a, b) == -compare(b, a)
    assert (compare(a, b) == 0) == (a == b)
    if compare(a, b) <= 0 and compare(b, c) <= 0:
        assert compare(a, c) <= 0


@given(st.lists(TERMS, max_size=8))
def test_the_key_sorts_as_the_comparison_does(terms: list[Term]) -> None:
    assert sorted(terms, key=standard_order_key) == sorted(terms, key=cmp_to_key(compare))


@given(st.lists(TERMS, max_size=8))
def test_sort_unique_keeps_every_term_once(terms: list[Term]) -> None:
    found = sort_unique(terms)
    assert set(found) == set(terms)
    assert len(found) == len(set(terms))


@pytest.mark.parametrize(
    "ordered",
    [
        ["X", "1.5", "2.0", "2", "3", "[]", "a", "b", '"c"', "f(a)", "g(a)", "[a]", "f(a,a)", "f(a,b)"],
        ["-1.0Inf", "-3", "0", "1.0Inf"],
    ],
)
def test_the_standard_order(ordered: list[str]) -> None:
    terms = [parse_term(text) for text in ordered]
    shuffled = [*terms[1::2], *terms[::2]]
    assert sorted(shuffled, key=standard_order_key) == terms


def test_nan_is_before_all_numbers() -> None:
    numbers: list[Term] = [Int(0), Float(float("-inf")), Float(float("nan"))]
    assert [show(number) for number in sorted(numbers, key=standard_order_key)][1:] == ["-1.0Inf", "0"]


def test_deep_terms_are_unified_compared_and_copied_without_recursion() -> None:
    def deep(end: Term) -> Term:
        term = end
        for _ in range(50_000):
            term = Struct("s", (term,))
        return term

    hole = Ref()
    one, other = deep(hole), deep(Atom("z"))
    assert unify(one, other, Trail())
    assert compare(one, other) == 0
    assert resolve(one) == other
    assert copy_term(deep(Ref()), Trail()) != other


def test_long_lists_are_unified_compared_and_copied_without_recursion() -> None:
    items: list[Term] = [Int(n) for n in range(50_000)]
    hole = Ref()
    one, other = list_term([*items, hole]), list_term([*items, Atom("end")])
    assert unify(one, other, Trail())
    assert same(one, other)
    assert resolve(one) == other


def test_a_shared_part_is_visited_once() -> None:
    term: Term = Struct("f", (Ref(),))
    for _ in range(200):
        term = Struct("f", (term, term))
    copy = copy_term(term, Trail())
    assert isinstance(copy, Struct)
    assert copy.args[0] is copy.args[1]
