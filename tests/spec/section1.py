"""Section 1: time and intervals."""

from __future__ import annotations

from tests.spec.cases import case

_ON_OFF = """
initiatedAt(f(X)=true, T) :- happensAt(on(X), T).
terminatedAt(f(X)=true, T) :- happensAt(off(X), T).
"""

CASES = [
    case("next of a time-point, tick 1", _ON_OFF, "on|3|3|a\noff|7|7|a", {"f(a)=true": [(4, 8)]}),
    case("next of a time-point, tick 5", _ON_OFF, "on|10|10|a\noff|20|20|a", {"f(a)=true": [(15, 25)]}, tick=5),
    case(
        "prev of a start and of an end, tick 5",
        "collectIntervals(jf(_)=true).\nhappensAt(s(X), T) :- happensAt(start(jf(X)=true), T).\n"
        "happensAt(e(X), T) :- happensAt(end(jf(X)=true), T).\n",
        "jf|10|10|20|true|a",
        {"s(a)": [5], "e(a)": [15]},
        tick=5,
    ),
    case("times before zero", _ON_OFF, "on|-9|-9|a\noff|-3|-3|a", {"f(a)=true": [(-8, -2)]}, start=-20, end=0),
    case(
        "times near the largest",
        _ON_OFF,
        f"on|{2**62 - 9}|{2**62 - 9}|a\noff|{2**62 - 3}|{2**62 - 3}|a",
        {"f(a)=true": [(2**62 - 8, 2**62 - 2)]},
        start=2**62 - 20,
        end=2**62 - 1,
    ),
    case("an interval that goes on is open", _ON_OFF, "on|3|3|a", {"f(a)=true": [(4, None)]}),
    case(
        "touching and overlapping records are one maximal interval",
        "collectIntervals(jf(_)=true).\nhappensAt(s(X), T) :- happensAt(start(jf(X)=true), T).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(jf(X)=true, I), intDurGreater(I, 8, J).\n",
        "jf|4|4|7|true|a\njf|7|7|10|true|a\njf|9|9|14|true|a",
        {"s(a)": [3], "d(a)=true": [(4, 14)]},
    ),
    case(
        "a fluent has at most one value",
        "initiatedAt(f=a, T) :- happensAt(a, T).\ninitiatedAt(f=b, T) :- happensAt(b, T).\n",
        "a|3|3\nb|7|7",
        {"f=a": [(4, 8)], "f=b": [(8, None)]},
    ),
    case(
        "arguments are nested terms",
        "initiatedAt(per(close_ballot(C, M))=true, T) :- happensAt(propose(C, M), T).\n"
        "initiatedAt(seen(C)=true, T) :- happensAt(start(per(close_ballot(C, _))=true), T).\n",
        "propose|3|3|c1|m1",
        {"per(close_ballot(c1,m1))=true": [(4, None)], "seen(c1)=true": [(4, None)]},
    ),
    case(
        "integers, floats and atoms are different constants",
        _ON_OFF,
        "on|3|3|3\non|4|4|3.0\noff|9|9|3\non|5|5|003",
        {"f(3)=true": [(4, 10)], "f(3.0)=true": [(5, None)], "f('003')=true": [(6, None)]},
    ),
    case(
        "double-quoted text is the quoted atom",
        'initiatedAt(f=true, T) :- happensAt(pay("Payment", X), T), known(X).\n'
        "terminatedAt(f=true, T) :- happensAt(pay('Payment', 'No'), T).\nknown(\"Yes\").\n",
        "pay|3|3|Payment|Yes\npay|9|9|Payment|No",
        {"f=true": [(4, 10)]},
    ),
    case(
        "double-quoted values are the quoted atoms",
        "initiatedAt(f=\"On\", T) :- happensAt(e, T).\ninitiatedAt(g=true, T) :- happensAt(start(f='On'), T).\n",
        "e|3|3",
        {"f='On'": [(4, None)], "g=true": [(4, None)]},
    ),
]
