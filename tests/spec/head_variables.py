"""Section 2, head variables without a grounding: one that no goal binds ranges over its sort."""

from __future__ import annotations

from tests.spec.cases import Case, case

_BACKGROUND = "double(X, Y) :- Y is 2 * X.\nany(_).\nfar(X) :- X > 3.\n"
_RECORDS = "seen|2|2|7\nseen|3|3|2\ns|5|5|a\noff|9|9|a"
_PAIRS = (("7", "14"), ("2", "4"))

GOALS = (
    "Y is 2 * X",
    "double(X, Y)",
    "Y > 1, Y is 2 * X",
    "\\+ Y > 100, double(X, Y)",
    "any(X), Y is 2 * X",
    "far(Y), double(X, Y)",
    "(Y > 1 ; fail), Y is 2 * X",
)


def _named(head: str, suffix: str = "") -> list[str]:
    return [head.replace("X", x).replace("Y", y).replace(" ", "") + suffix for x, y in _PAIRS]


def _computed(goals: str, head: str) -> list[Case]:
    """One head in all kinds of clauses; `seen` is the range of X."""
    seen = f"initiatedAt({head}=false, T) :- happensAt(seen(X), T), Y = none, fail.\n" + _BACKGROUND
    event = f"happensAt({head}, T) :- happensAt(seen(X), T), Y = none, fail.\n" + _BACKGROUND
    return [
        case(
            f"initiatedAt of {head} computes a head variable: {goals}",
            f"initiatedAt({head}=true, T) :- {goals}, happensAt(s(_), T).\n{seen}",
            _RECORDS,
            {name: [(6, None)] for name in _named(head, "=true")},
        ),
        case(
            f"happensAt of {head} computes a head variable: {goals}",
            f"happensAt({head}, T) :- happensAt(s(_), T), {goals}.\n{event}",
            _RECORDS,
            {name: [5] for name in _named(head)},
        ),
        case(
            f"terminatedAt of {head} computes a head variable: {goals}",
            f"initially({head}=true) :- {goals}.\nterminatedAt({head}=true, T) :- happensAt(s(_), T), {goals}.\n{seen}",
            _RECORDS,
            {name: [(0, 6)] for name in _named(head, "=true")},
        ),
    ]


_LEVEL = "initiatedAt(d(X)=Y, T) :- happensAt(seen(X), T), Y is 2 * X.\n"
_PAIR = "initiatedAt(d(X, Y)=true, T) :- happensAt(seen(X), T), Y is 2 * X.\n"

CASES = [
    *(each for goals in GOALS for head in ("d(X, Y)", "d(Y, X)") for each in _computed(goals, head)),
    case(
        "a goal computes the value of an initiation",
        "initiatedAt(d(X)=V, T) :- happensAt(s(_), T), V is 2 * X.\ninitiatedAt(d(X)=k, T) :- happensAt(seen(X), T).\n",
        _RECORDS,
        {"d(7)=k": [(3, 6)], "d(2)=k": [(4, 6)], "d(7)=14": [(6, None)], "d(2)=4": [(6, None)]},
    ),
    case(
        "a computed value outside the grounding breaks the others",
        "initiatedAt(d(X)=V, T) :- happensAt(s(_), T), V is 2 * X.\ninitiatedAt(d(X)=k, T) :- happensAt(seen(X), T).\n"
        "grounding(d(X)=k) :- num(X).\nnum(7).\n",
        _RECORDS,
        {"d(7)=k": [(3, 6)]},
    ),
    case(
        "a goal computes an initial value",
        "initially(d(X)=V) :- V is 2 * X.\nterminatedAt(d(X)=_, T) :- happensAt(seen(X), T).\n",
        _RECORDS,
        {"d(7)=14": [(0, 3)], "d(2)=4": [(0, 4)]},
    ),
    case(
        "a termination that tests a computed argument",
        _PAIR + "terminatedAt(d(_, Y)=true, T) :- happensAt(off(_), T), Y > 10.\n",
        _RECORDS,
        {"d(7,14)=true": [(3, 10)], "d(2,4)=true": [(4, None)]},
    ),
    case(
        "a termination that computes an argument",
        _PAIR + "terminatedAt(d(X, Y)=true, T) :- happensAt(off(_), T), Y is 2 * X.\n",
        _RECORDS,
        {"d(7,14)=true": [(3, 10)], "d(2,4)=true": [(4, 10)]},
    ),
    case(
        "a termination that tests one argument and leaves the other open",
        _PAIR + "terminatedAt(d(X, _)=true, T) :- happensAt(off(_), T), X > 3.\n",
        _RECORDS,
        {"d(7,14)=true": [(3, 10)], "d(2,4)=true": [(4, None)]},
    ),
    case(
        "a termination that tests a computed value",
        _LEVEL + "terminatedAt(d(_)=V, T) :- happensAt(off(_), T), V > 10.\n",
        _RECORDS,
        {"d(7)=14": [(3, 10)], "d(2)=4": [(4, None)]},
    ),
    case(
        "a termination that tests a computed value breaks its initiation at the same time-point",
        _LEVEL + "terminatedAt(d(_)=V, T) :- happensAt(off(_), T), V > 10.\n",
        _RECORDS + "\nseen|9|9|8\nseen|9|9|3",
        {"d(7)=14": [(3, 10)], "d(2)=4": [(4, None)], "d(3)=6": [(10, None)]},
    ),
    case(
        "a condition sees the termination of a computed value",
        _LEVEL + "terminatedAt(d(_)=V, T) :- happensAt(off(_), T), V > 3.\n"
        "happensAt(o(X), T) :- happensAt(off(_), T), happensAt(ask(X), T), terminatedAt(d(X)=V, T), V is 2 * X.\n",
        _RECORDS + "\noff|1|1|a\nask|1|1|7\nask|9|9|7\nask|9|9|2",
        {"d(7)=14": [(3, 10)], "d(2)=4": [(4, 10)], "o(7)": [9], "o(2)": [9]},
    ),
    case(
        "a termination that tests a computed value, in a cycle",
        _LEVEL + "terminatedAt(d(_)=V, T) :- happensAt(off(_), T), V > 10, holdsAt(d(2)=4, T).\n",
        _RECORDS,
        {"d(7)=14": [(3, 10)], "d(2)=4": [(4, None)]},
    ),
]
