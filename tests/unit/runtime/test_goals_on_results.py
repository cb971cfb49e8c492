"""A goal that uses the result of another goal of the same body may be written before it or after it."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

BACKGROUND = "pair(a, 1). pair(a, 3). pair(b, 7).\ndouble(X, Y) :- Y is 2 * X.\n"
RECORDS = ("s|5|a", "s|6|b", "s|7|c", "w|5|a|3", "w|5|a|4", "w|6|b|9")
GOALS = {
    "the length of a list": (["findall(N, pair(X, N), L)", "length(L, M)", "M > 1"], {"o(a,2)": [5]}),
    "the sum of a list": (["findall(N, pair(X, N), L)", "sum_list(L, M)", "M > 3"], {"o(a,4)": [5], "o(b,7)": [6]}),
    "an element": (["findall(N, pair(X, N), L)", "nth0(0, L, M)"], {"o(a,1)": [5], "o(b,7)": [6]}),
    "a longer list": (
        ["findall(N, pair(X, N), L)", "append(L, [9], S)", "length(S, M)"],
        {"o(a,3)": [5], "o(b,2)": [6], "o(c,1)": [7]},
    ),
    "a count that is computed with": (
        ["aggregate_all(count, pair(X, _), C)", "B is C * 2", "M is B + 1", "M > 1"],
        {"o(a,5)": [5], "o(b,3)": [6]},
    ),
    "a greatest number and a count": (
        ["aggregate_all(max(N), pair(X, N), G)", "aggregate_all(count, (pair(_, K), K < G), M)"],
        {"o(a,1)": [5], "o(b,2)": [6]},
    ),
    "a sum of events": (
        ["aggregate_all(sum(N), happensAt(w(X, N), T), S)", "M is S mod 5", "S > 0"],
        {"o(a,2)": [5], "o(b,4)": [6]},
    ),
    "a negated test": (["aggregate_all(count, pair(X, _), M)", "\\+ M > 1"], {"o(b,1)": [6], "o(c,0)": [7]}),
    "a clause": (["aggregate_all(count, pair(X, _), C)", "double(C, M)", "M > 0"], {"o(a,4)": [5], "o(b,2)": [6]}),
}


@pytest.mark.parametrize("name", GOALS)
def test_the_order_of_goals_does_not_matter(name: str) -> None:
    goals, expected = GOALS[name]
    when = "happensAt(s(X), T)"
    for order in ([when, *goals], [when, *goals[::-1]], [*goals, when], [*goals[::-1], when]):
        example = Example(f"happensAt(o(X, M), T) :- {', '.join(order)}.\n{BACKGROUND}", RECORDS)
        assert example.reference() == expected, order
        assert example.batch() == expected, order
