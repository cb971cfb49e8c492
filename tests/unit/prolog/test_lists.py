"""Predicates on lists, in the modes they are used in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.prolog.programs import answers, engine, holds, values

CASES: list[tuple[str, list[str]]] = [
    ("member(X, [a, b, a])", ["a", "b", "a"]),
    ("member(f(X), [f(1), g(2), f(3)])", ["1", "3"]),
    ("memberchk(X, [a, b])", ["a"]),
    ("memberchk(f(X, b), [f(a, c), f(d, b)])", ["d"]),
    ("memberchk(a, L), L = [X|_]", ["a"]),
    ("length([a, b], X)", ["2"]),
    ("length(X, 2)", ["[_G1,_G2]"]),
    ("length([a|T], 3), T = [X, Y]", ["X"]),
    ("length(L, L2), L2 >= 2, !, X = L2", ["2"]),
    ("length([a|T], 0), X = 1", []),
    ("length(T, -1), X = 1", []),
    ("between(1, 3, X)", ["1", "2", "3"]),
    ("between(3, 1, X)", []),
    ("between(1, inf, 5), X = yes", ["yes"]),
    ("append([1], [2], X)", ["[1,2]"]),
    ("append(X, [2], [1, 2])", ["[1]"]),
    ("append(X, _, [1, 2])", ["[]", "[1]", "[1,2]"]),
    ("append([[1], [], [2, 3]], X)", ["[1,2,3]"]),
    ("nth0(1, [a, b], X)", ["b"]),
    ("nth1(1, [a, b], X)", ["a"]),
    ("nth0(X, [a, b, a], a)", ["0", "2"]),
    ("nth1(5, [a, b], X)", []),
    ("last([a, b, c], X)", ["c"]),
    ("reverse([a, b, c], X)", ["[c,b,a]"]),
    ('msort([b, a, b, 1, 1.0, "s", f(x)], X)', ["[1.0,1,a,b,b,s,f(x)]"]),
    ("sort([b, a, b], X)", ["[a,b]"]),
    ("sort(0, @>=, [1, 3, 2, 3], X)", ["[3,3,2,1]"]),
    ("sort(0, @>, [1, 3, 2, 3], X)", ["[3,2,1]"]),
    ("sort(1, @=<, [f(2, a), f(1, b), f(2, c), f(1, d)], X)", ["[f(1,b),f(1,d),f(2,a),f(2,c)]"]),
    ("sort(1, @<, [f(2, a), f(1, b), f(2, c), f(1, d)], X)", ["[f(1,b),f(2,a)]"]),
    ("keysort([b-1, a-2, b-0, a-1], X)", ["[a-2,a-1,b-1,b-0]"]),
    ("predsort([O, A, B]^compare(O, A, B), [], X)", ["[]"]),
    ("predsort(compare, [c, a, b, a], X)", ["[a,b,c]"]),
    ("list_to_set([b, a, b, 1, 1.0, a], X)", ["[b,a,1,1.0]"]),
    ("sum_list([1, 2, 3.5], X)", ["6.5"]),
    ("sumlist([], X)", ["0"]),
    ("max_list([1, 3, 2], X)", ["3"]),
    ("min_list([2, 1, 3], X)", ["1"]),
    ("max_list([], X)", []),
    ('max_member(X, [a, 3, f(x), "s"])', ["f(x)"]),
    ("min_member(X, [a, 3, f(x)])", ["3"]),
    ("select(b, [a, b, c], X)", ["[a,c]"]),
    ("select(X, [a, b], _)", ["a", "b"]),
    ("exclude([], [], X)", ["[]"]),
    ("exclude(==(a), [a, b, a], X)", ["[b]"]),
    ("include(==(a), [a, b, a], X)", ["[a,a]"]),
    ("partition(<(2), [1, 2, 3], X, _)", ["[3]"]),
    ("maplist(==(a), [a, a]), X = yes", ["yes"]),
    ("maplist(succ, [1, 2], X)", ["[2,3]"]),
    ("maplist(succ, X, [1, 2])", ["[0,1]"]),
    ("maplist(plus, [1, 2], [3, 4], X)", ["[4,6]"]),
    ("foldl(plus, [1, 2, 3], 0, X)", ["6"]),
    ("delete([a, b, a, c], a, X)", ["[b,c]"]),
    ("subtract([a, b, c], [b], X)", ["[a,c]"]),
    ("intersection([a, b, c], [c, a, d], X)", ["[a,c]"]),
    ("union([a, b], [b, c], X)", ["[a,b,c]"]),
    ("permutation([1, 2, 3], X)", ["[1,2,3]", "[1,3,2]", "[2,1,3]", "[2,3,1]", "[3,1,2]", "[3,2,1]"]),
    ("numlist(2, 4, X)", ["[2,3,4]"]),
    ("numlist(4, 2, X)", []),
    ("pairs_keys_values(X, [a, b], [1, 2])", ["[a-1,b-2]"]),
    ("pairs_keys_values([a-1, b-2], _, X)", ["[1,2]"]),
    ("pairs_keys([a-1, b-2], X)", ["[a,b]"]),
    ("pairs_values([a-1, b-2], X)", ["[1,2]"]),
]


@pytest.mark.parametrize(("goal", "expected"), CASES)
def test_list_predicates(goal: str, expected: list[str]) -> None:
    assert values("", goal, limit=10) == expected


def test_length_enumerates_lists_when_no_argument_is_bound() -> None:
    assert answers("", "length(L, N)", limit=3) == ["L=[] N=0", "L=[_G1] N=1", "L=[_G1,_G2] N=2"]


def test_delete_binds_nothing() -> None:
    assert answers("", "delete([f(X), g], f(1), L)") == ["X=X L=[g]"]


def test_subtract_unifies_as_memberchk_does() -> None:
    assert answers("", "subtract([f(X), b], [f(1)], L)") == ["X=1 L=[b]"]


INTEGERS = st.lists(st.integers(-5, 5), max_size=6)
ENGINE = engine()


@given(INTEGERS, INTEGERS)
def test_append_joins(left: list[int], right: list[int]) -> None:
    assert values(ENGINE, f"append({left}, {right}, X), X == {left + right}") == [str(left + right).replace(" ", "")]


@given(INTEGERS)
def test_append_splits_in_every_way(items: list[int]) -> None:
    found = values(ENGINE, f"append(L, R, {items}), append(L, R, X)")
    assert found == [str(items).replace(" ", "")] * (len(items) + 1)


@given(INTEGERS)
def test_sorts_agree_with_python(items: list[int]) -> None:
    assert holds(f"msort({items}, {sorted(items)})", ENGINE)
    assert holds(f"sort({items}, {sorted(set(items))})", ENGINE)
    assert holds(f"sort(0, @>=, {items}, {sorted(items, reverse=True)})", ENGINE)
    assert holds(f"predsort(compare, {items}, {sorted(set(items))})", ENGINE)
    assert holds(f"list_to_set({items}, {list(dict.fromkeys(items))})", ENGINE)


@given(INTEGERS)
def test_reversing_twice_changes_nothing(items: list[int]) -> None:
    assert holds(f"reverse({items}, R), reverse(R, {items})", ENGINE)


@given(INTEGERS, INTEGERS)
def test_set_predicates_agree_with_python(left: list[int], right: list[int]) -> None:
    assert holds(f"subtract({left}, {right}, {[n for n in left if n not in right]})", ENGINE)
    assert holds(f"intersection({left}, {right}, {[n for n in left if n in right]})", ENGINE)
    assert holds(f"union({left}, {right}, {[n for n in left if n not in right] + right})", ENGINE)
