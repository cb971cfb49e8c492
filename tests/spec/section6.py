"""Section 6: Allen relations."""

from __future__ import annotations

from tests.oracle.answer import Answer
from tests.spec.cases import Case, case

_INPUT = "collectIntervals(a=true).\ncollectIntervals(b=true).\n"
_BOTH = "holdsFor(d=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), "

_PAIRS = {
    "before": ((3, 7), (9, 12)),
    "meets": ((3, 7), (7, 12)),
    "overlaps": ((3, 8), (5, 12)),
    "starts": ((3, 8), (3, 12)),
    "finishes": ((5, 12), (3, 12)),
    "during": ((5, 9), (3, 12)),
    "equal": ((3, 12), (3, 12)),
}
_INVERSES = {
    "after": "before",
    "met_by": "meets",
    "overlapped_by": "overlaps",
    "started_by": "starts",
    "finished_by": "finishes",
    "contains": "during",
}


def _records(i: tuple[int, int], j: tuple[int, int]) -> str:
    return f"a|{i[0]}|{i[0]}|{i[1]}|true\nb|{j[0]}|{j[0]}|{j[1]}|true"


def _only(relation: str) -> Case:
    """Of all relations just this one holds of its pair."""
    text = _INPUT
    for other in [*_PAIRS, *_INVERSES]:
        text += _BOTH.replace("(d=", f"(d({other})=") + f"allen({other}, A, B, source, J).\n"
    i, j = _PAIRS[relation]
    return case(f"{relation} excludes the others", text, _records(i, j), {f"d({relation})=true": [i]})


def _inverse(name: str, relation: str) -> Case:
    i, j = _PAIRS[relation]
    return case(
        f"{name} is {relation} with its lists swapped",
        _INPUT + _BOTH + f"allen({name}, B, A, target, J).",
        _records(i, j),
        {"d=true": [i]},
    )


def _mode(mode: str, expected: list[tuple[int, int]]) -> Case:
    answer: Answer = {"d=true": list(expected)} if expected else {}
    i, j = _PAIRS["overlaps"]
    return case(
        f"mode {mode}", _INPUT + _BOTH + f"overlaps(A, B, {mode}, J).", _records(i, j) + "\na|20|20|22|true", answer
    )


CASES = [
    *map(_only, _PAIRS),
    *(_inverse(*pair) for pair in _INVERSES.items()),
    _mode("source", [(3, 8)]),
    _mode("lhs", [(3, 8)]),
    _mode("target", [(5, 12)]),
    _mode("rhs", [(5, 12)]),
    _mode("union", [(3, 12)]),
    _mode("intersect", [(5, 8)]),
    _mode("intersection", [(5, 8)]),
    _mode("complement", [(3, 5)]),
    _mode("relative_complement", [(3, 5)]),
    _mode("complement_inv", [(8, 12)]),
    _mode("relative_complement_inverse", [(8, 12)]),
    case(
        "one event ends an interval and starts another: they meet",
        "initiatedAt(in(V)=true, T) :- happensAt(enter(V), T).\n"
        "terminatedAt(in(V)=true, T) :- happensAt(gap_start(V), T).\n"
        "initiatedAt(gap(V)=true, T) :- happensAt(gap_start(V), T).\n"
        "terminatedAt(gap(V)=true, T) :- happensAt(gap_end(V), T).\n"
        "holdsFor(gone(V)=true, J) :- holdsFor(in(V)=true, I), holdsFor(gap(V)=true, G), allen(meets, I, G, "
        "target, J).\n",
        "enter|2|2|v\ngap_start|9|9|v\ngap_end|13|13|v",
        {"in(v)=true": [(3, 10)], "gap(v)=true": [(10, 14)], "gone(v)=true": [(10, 14)]},
    ),
    case(
        "two open ends are equal",
        "initiatedAt(a(X)=true, T) :- happensAt(on(X), T).\ninitiatedAt(b(X)=true, T) :- happensAt(off(X), T).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), allen(finishes, A, B, source, J).\n"
        "holdsFor(e(X)=true, J) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), allen(equal, A, B, source, J).\n",
        "on|9|9|x\noff|3|3|x\non|5|5|y\noff|5|5|y",
        {
            "a(x)=true": [(10, None)],
            "b(x)=true": [(4, None)],
            "a(y)=true": [(6, None)],
            "b(y)=true": [(6, None)],
            "d(x)=true": [(10, None)],
            "e(y)=true": [(6, None)],
        },
    ),
    case(
        "before within the memory",
        _INPUT + _BOTH + "before(A, B, source, J).",
        "a|3|3|7|true\nb|9|9|12|true",
        {"d=true": [(3, 7)]},
        memory=2,
    ),
    case(
        "before beyond the memory",
        _INPUT + _BOTH + "before(A, B, source, J).",
        "a|3|3|7|true\nb|10|10|12|true",
        {},
        memory=2,
    ),
    case(
        "a memory of 0 means never",
        _INPUT + _BOTH + "before(A, B, source, J).",
        "a|3|3|7|true\nb|8|8|12|true",
        {},
        memory=0,
    ),
    case(
        "the memory is no matter for meets",
        _INPUT + _BOTH + "meets(A, B, source, J).",
        "a|3|3|7|true\nb|7|7|12|true",
        {"d=true": [(3, 7)]},
        memory=0,
    ),
    case(
        "windows do not cut intervals that relations look at",
        _INPUT + _BOTH + "during(A, B, source, J).\n"
        "holdsFor(e=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), starts(A, B, source, J).\n"
        "holdsFor(f=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), equal(A, B, source, J).\n",
        "a|3|3|17|true\nb|2|2|23|true",
        {"d=true": [(3, 17)]},
        window=5,
    ),
    case(
        "a source far behind the window",
        _INPUT + _BOTH + "overlaps(A, B, union, J).",
        "a|2|2|14|true\nb|12|12|27|true",
        {"d=true": [(2, 27)]},
        window=4,
    ),
    case(
        "the memory of before is the window in streaming",
        _INPUT + _BOTH + "before(A, B, target, J).",
        "a|3|3|7|true\nb|12|12|14|true\nb|20|20|22|true",
        {"d=true": [(12, 14)]},
        window=10,
        step=5,
        engines=("oracle", "windows"),
    ),
]
