"""Section 3: simple fluents."""

from __future__ import annotations

from tests.spec.cases import case

_F = "initiatedAt(f=true, T) :- happensAt(on, T).\nterminatedAt(f=true, T) :- happensAt(off, T).\n"
_V = "initiatedAt(f=V, T) :- happensAt(set(V), T).\nterminatedAt(f=V, T) :- happensAt(drop(V), T).\n"
_EDGES = "".join(
    f"happensAt({name}(X), T) :- happensAt({edge}(f(X)=true), T).\n"
    for name, edge in (("s", "start"), ("e", "end"), ("si", "startI"), ("ei", "endI"))
)

CASES = [
    case(
        "initiated at 10 and 20, terminated at 25 and 30",
        _F,
        "on|10|10\non|20|20\noff|25|25\noff|30|30",
        {"f=true": [(11, 26)]},
    ),
    case("a break at the time-point of an initiation wins", _F, "on|3|3\noff|3|3", {}),
    case(
        "a break at the time-point of a re-initiation ends the interval",
        _F,
        "on|3|3\non|7|7\noff|7|7",
        {"f=true": [(4, 8)]},
    ),
    case("two values at the same time-point: neither holds", _V, "set|3|3|a\nset|3|3|b", {}),
    case("two values at the same time-point end what holds", _V, "set|3|3|a\nset|7|7|a\nset|7|7|b", {"f=a": [(4, 8)]}),
    case("a termination of another value breaks nothing", _V, "set|3|3|a\ndrop|7|7|b", {"f=a": [(4, None)]}),
    case(
        "a value outside the grounding breaks the others",
        "initiatedAt(t(B)=V, T) :- happensAt(temp(B, V), T).\ngrounding(t(B)=very_warm) :- bus(B).\nbus(b).\n",
        "temp|3|3|b|very_warm\ntemp|8|8|b|warm",
        {"t(b)=very_warm": [(4, 9)]},
    ),
    case(
        "start and end of a simple fluent are the initiating and the breaking time-point",
        "initiatedAt(f(X)=true, T) :- happensAt(on(X), T).\nterminatedAt(f(X)=true, T) :- happensAt(off(X), T).\n"
        + _EDGES,
        "on|3|3|a\non|5|5|a\noff|8|8|a\noff|9|9|a",
        {"f(a)=true": [(4, 9)], "s(a)": [3], "e(a)": [8], "si(a)": [4], "ei(a)": [9]},
    ),
    case(
        "the same with a tick of 5",
        "initiatedAt(f(X)=true, T) :- happensAt(on(X), T).\nterminatedAt(f(X)=true, T) :- happensAt(off(X), T).\n"
        + _EDGES,
        "on|5|5|a\noff|15|15|a",
        {"f(a)=true": [(10, 20)], "s(a)": [5], "e(a)": [15], "si(a)": [10], "ei(a)": [20]},
        tick=5,
    ),
    case(
        "an open interval has no end",
        "initiatedAt(f(X)=true, T) :- happensAt(on(X), T).\n" + _EDGES,
        "on|3|3|a",
        {"f(a)=true": [(4, None)], "s(a)": [3], "si(a)": [4]},
    ),
    case(
        "start and end of an input fluent",
        "collectIntervals(f(_)=true).\n" + _EDGES,
        "f|3|3|9|true|a",
        {"s(a)": [2], "e(a)": [8], "si(a)": [3], "ei(a)": [9]},
    ),
    case(
        "start and end of a statically determined fluent",
        "collectIntervals(g(_)=true).\nholdsFor(f(X)=true, J) :- holdsFor(g(X)=true, I), union_all([I], J).\n" + _EDGES,
        "g|3|3|9|true|a",
        {"f(a)=true": [(3, 9)], "s(a)": [2], "e(a)": [8], "si(a)": [3], "ei(a)": [9]},
    ),
    case(
        "a start before the run is no event of the run",
        "collectIntervals(f(_)=true).\n" + _EDGES,
        "f|0|0|9|true|a",
        {"e(a)": [8], "si(a)": [0], "ei(a)": [9]},
    ),
    case(
        "an interval that crosses a window's edge does not start or end there",
        "collectIntervals(f(_)=true).\n" + _EDGES,
        "f|3|3|25|true|a",
        {"s(a)": [2], "e(a)": [24], "si(a)": [3], "ei(a)": [25]},
        window=5,
    ),
    case(
        "start and end at query times are neither lost nor repeated",
        "collectIntervals(f(_)=true).\npoints(p(_)=true).\n"
        + _EDGES
        + "happensAt(ps(X), T) :- happensAt(start(p(X)=true), T).\n"
        "happensAt(pe(X), T) :- happensAt(end(p(X)=true), T).\n",
        "f|6|6|11|true|a\np|10|10|true|a\np|11|11|true|a\np|15|15|true|b",
        {
            "s(a)": [5],
            "e(a)": [10],
            "si(a)": [6],
            "ei(a)": [11],
            "ps(a)": [9],
            "pe(a)": [11],
            "ps(b)": [14],
            "pe(b)": [15],
        },
        window=5,
    ),
]
