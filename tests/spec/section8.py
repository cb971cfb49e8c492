"""Section 8: input records, as text. Other formats have tests beside their readers."""

from __future__ import annotations

from tests.spec.cases import case

_E = "happensAt(o(X), T) :- happensAt(e(X), T).\n"
_N = "happensAt(o(X), T) :- happensAt(n(X, N), T), N > 4.\n"

CASES = [
    case("an event", _E, "e|3|3|a", {"o(a)": [3]}),
    case("an event without arguments", "happensAt(o, T) :- happensAt(e, T).", "e|3|3", {"o": [3]}),
    case(
        "a fluent at a time-point",
        "points(p(_)=_).\nhappensAt(o(V), T) :- happensAt(startI(p(x)=V), T).",
        "p|3|3|v|x",
        {"o(v)": [3]},
    ),
    case(
        "a fluent over an interval",
        "collectIntervals(p(_)=_).\nhappensAt(o(V), T) :- happensAt(endI(p(x)=V), T).",
        "p|3|3|9|v|x",
        {"o(v)": [9]},
    ),
    case("a retraction has a leading minus", _E, "e|3|3|a\n-e|3|3|a", {}),
    case(
        "canonical numbers",
        _N,
        "n|3|3|a|5\nn|4|4|b|-5\nn|5|5|c|5.50\nn|6|6|d|1e5",
        {"o(a)": [3], "o(c)": [5], "o(d)": [6]},
    ),
    case("other codes stay atoms", _E, "e|3|3|003\ne|4|4|3\ne|5|5|1.50", {"o('003')": [3], "o(3)": [4], "o(1.5)": [5]}),
    case("input need not be sorted", _E, "e|9|9|b\ne|3|3|a", {"o(a)": [3], "o(b)": [9]}),
    case(
        "names with spaces",
        "happensAt('Out'(X), T) :- happensAt('In put'(X), T).",
        "In put|3|3|X y",
        {"'Out'('X y')": [3]},
    ),
]
