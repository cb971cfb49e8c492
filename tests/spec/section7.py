"""Section 7: windows, arrival, revision. The reference evaluator and one query see all records that are given."""

from __future__ import annotations

from tests.spec.cases import case

_F = "initiatedAt(f(X)=true, T) :- happensAt(on(X), T).\nterminatedAt(f(X)=true, T) :- happensAt(off(X), T).\n"
_O = "happensAt(o(X), T) :- happensAt(on(X), T).\n"
_J = "collectIntervals(jf(_)=true).\n"
_COPY = _J + "holdsFor(d(X)=true, J) :- holdsFor(jf(X)=true, I), union_all([I], J).\n"
_WINDOWS = ("oracle", "windows")

ARRIVAL = [
    case("late within the window", _F, "on|14|6|a\noff|20|20|a", {"f(a)=true": [(7, 21)]}, window=10, step=5),
    case("an event in a window that overlaps is seen once", _O, "on|6|6|a", {"o(a)": [6]}, window=10, step=2),
    case(
        "a record too late for every window is dropped",
        _F,
        "on|3|3|a\noff|20|6|a",
        {"f(a)=true": [(4, None)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "a record at the edge of the window is settled",
        _O,
        "on|15|10|a\non|15|11|b",
        {"o(b)": [11]},
        window=5,
        engines=_WINDOWS,
    ),
    case("records in any order", _F, "off|9|9|a\non|3|3|a", {"f(a)=true": [(4, 10)]}),
    case("an exact duplicate is the same record", _O, "on|3|3|a\non|4|3|a\n-on|5|3|a", {}),
    case("a retraction", _F, "on|3|3|a\noff|9|9|a\n-off|11|9|a", {"f(a)=true": [(4, None)]}, window=10, step=5),
    case("a retraction that arrives before its record is unmatched", _O, "-on|3|3|a\non|4|3|a", {"o(a)": [3]}),
    case(
        "the order of the input decides at the same arrival",
        _O,
        "on|3|3|a\n-on|3|3|a\n-on|3|3|b\non|3|3|b",
        {"o(b)": [3]},
    ),
    case(
        "the order of arrival decides before the order of the input",
        _O,
        "-on|4|3|a\non|3|3|a\non|9|3|b\n-on|8|3|b",
        {"o(b)": [3]},
    ),
    case("a record is inserted again", _O, "on|3|3|a\n-on|4|3|a\non|5|3|a", {"o(a)": [3]}),
    case(
        "a part strictly inside is retracted",
        _COPY,
        "jf|3|3|20|true|a\n-jf|6|8|12|true|a",
        {"d(a)=true": [(3, 8), (12, 20)]},
    ),
    case(
        "a retraction too late changes nothing that is settled",
        _O,
        "on|3|3|a\n-on|9|3|a",
        {"o(a)": [3]},
        window=5,
        end=10,
        engines=_WINDOWS,
    ),
    case(
        "without windows arrival does not matter",
        _F,
        "on|900|3|a\noff|-5|9|a",
        {"f(a)=true": [(4, 10)]},
        engines=("oracle", "reference", "batch"),
    ),
    case("a record at start_time", _F, "on|0|0|a", {"f(a)=true": [(1, None)]}, window=5),
    case("a record at end_time", _O, "on|30|30|a", {"o(a)": [30]}, window=5),
    case("a record after end_time", _O, "on|31|31|a", {}, window=7),
    case("a record before start_time", _O, "on|-1|-1|a", {}, window=7),
]

_FACTS = (
    "happensAt(e(a), 5).\nhappensAt(e(b), 6).\nholdsFor(g(x)=true, [(3,20)]).\ncollectIntervals(g(_)=true).\n"
    "initiatedAt(f(X)=true, T) :- happensAt(e(X), T).\n"
    "holdsFor(h(X)=true, I) :- holdsFor(g(X)=true, J), intersect_all([J], I).\n"
)

FACTS = [
    case(
        "a retraction removes a fact of the rules",
        _FACTS,
        "-e|9|5|a\ne|10|10|c\n-g|9|8|12|true|x",
        {"f(b)=true": [(7, None)], "f(c)=true": [(11, None)], "h(x)=true": [(3, 8), (12, 20)]},
    ),
    case(
        "a retraction at the arrival of a fact comes after it",
        _FACTS,
        "-e|5|5|a\n-e|6|6|b\n-g|3|3|20|true|x",
        {},
    ),
    case(
        "a retraction before the arrival of a fact takes nothing back",
        _FACTS,
        "-e|4|5|a\n-g|2|8|12|true|x",
        {"f(a)=true": [(6, None)], "f(b)=true": [(7, None)], "h(x)=true": [(3, 20)]},
    ),
    case(
        "a fact that is retracted and inserted again",
        _FACTS,
        "-e|7|5|a\ne|8|5|a",
        {"f(a)=true": [(6, None)], "f(b)=true": [(7, None)], "h(x)=true": [(3, 20)]},
    ),
]

EDGES = [
    case(
        "a termination of what holds at start_time only",
        "initially(f(a)=true).\n" + _F,
        "off|0|0|a",
        {"f(a)=true": [(0, 1)]},
        window=3,
    ),
    case(
        "an input interval that arrives when part of it is settled: operations see the part inside",
        _COPY + "happensAt(s(X), T) :- happensAt(start(jf(X)=true), T).\n"
        "happensAt(i(X), T) :- happensAt(startI(jf(X)=true), T).\n"
        "happensAt(ds(X), T) :- happensAt(start(d(X)=true), T).\n"
        "happensAt(di(X), T) :- happensAt(startI(d(X)=true), T).\n",
        "jf|14|4|20|true|a",
        {"d(a)=true": [(11, 20)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "durations directly on it use its true start",
        _J + "holdsFor(d(X)=true, J) :- holdsFor(jf(X)=true, I), intDurGreater(I, 12, J).\n"
        "holdsFor(e(X)=true, J) :- holdsFor(jf(X)=true, I), union_all([I], K), intDurGreater(K, 12, J).\n",
        "jf|14|4|20|true|a",
        {"d(a)=true": [(11, 20)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "relations directly on it use its true start",
        "collectIntervals(a=true).\ncollectIntervals(b=true).\n"
        "holdsFor(d=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), allen(overlaps, A, B, source, J).\n",
        "b|8|8|25|true\na|14|4|20|true",
        {"d=true": [(11, 20)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "relations with it show from the first time-point at which it is seen",
        "collectIntervals(a=true).\ncollectIntervals(b=true).\n"
        "holdsFor(d=true, J) :- holdsFor(a=true, A), holdsFor(b=true, B), allen(overlaps, A, B, target, J).\n"
        "happensAt(s, T) :- happensAt(start(d=true), T).\nhappensAt(i, T) :- happensAt(startI(d=true), T).\n",
        "b|8|8|25|true\na|14|4|20|true",
        {"d=true": [(11, 25)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "intervals that ended before it is first seen form no pair with it",
        "collectIntervals(a(_)=true).\ncollectIntervals(b(_)=true).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), allen(overlaps, A, B, target, J).\n",
        "a|2|2|11|true|p\nb|14|4|20|true|p\na|2|2|12|true|q\nb|14|4|20|true|q",
        {"d(q)=true": [(11, 20)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "of two such intervals the one that is seen last says from where on their relation shows",
        "collectIntervals(a(_)=true).\ncollectIntervals(b(_)=true).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), allen(overlaps, A, B, source, J).\n",
        "a|14|4|18|true|p\nb|19|6|25|true|p\na|14|4|16|true|q\nb|19|6|25|true|q",
        {"d(p)=true": [(16, 18)]},
        window=5,
        engines=_WINDOWS,
    ),
    case(
        "an input interval that ends after next(end) is open",
        _COPY,
        "jf|20|20|32|true|a\njf|20|20|31|true|b",
        {"d(a)=true": [(20, None)], "d(b)=true": [(20, 31)]},
    ),
    case(
        "durations at the end of the run",
        _J + "holdsFor(d(X)=true, J) :- holdsFor(jf(X)=true, I), intDurGreater(I, 10, J).\n",
        "jf|20|20|35|true|a\njf|21|21|40|true|b",
        {"d(a)=true": [(20, None)]},
        window=7,
    ),
    case(
        "delays due after end_time stay pending, also when the last query time is later",
        _F + "fi(f(X)=true, g(X)=true, 5).\n",
        "on|24|24|a\non|26|26|b",
        {"f(a)=true": [(25, None)], "f(b)=true": [(27, None)], "g(a)=true": [(30, None)]},
        window=20,
    ),
    case(
        "points at every tick have not ended at a query time",
        "points(p(_)=true).\nhappensAt(s(X), T) :- happensAt(start(p(X)=true), T).\n"
        "happensAt(e(X), T) :- happensAt(end(p(X)=true), T).\n",
        "\n".join(f"p|{t}|{t}|true|a" for t in range(3, 18)),
        {"s(a)": [2], "e(a)": [17]},
        window=5,
    ),
    case(
        "an interval that begins at next(q)",
        _F + "happensAt(s(X), T) :- happensAt(start(f(X)=true), T).\n"
        "happensAt(i(X), T) :- happensAt(startI(f(X)=true), T).\n",
        "on|10|10|a\noff|15|15|a",
        {"f(a)=true": [(11, 16)], "s(a)": [10], "i(a)": [11]},
        window=5,
    ),
    case(
        "an entity that appears in a later window has its initial values",
        _F + "initially(f(X)=true).\ndynamicDomain(d(_)).\ngrounding(on(X)) :- d(X).\ngrounding(off(X)) :- d(X).\n"
        "grounding(f(X)=true) :- d(X).\n",
        "off|22|22|a",
        {"f(a)=true": [(0, 23)]},
        window=5,
    ),
    case(
        "an open value keeps its entity",
        _F + "holdsFor(n(X)=true, J) :- holdsFor(f(X)=true, I), complement_all([I], J).\ndynamicDomain(d(_)).\n"
        "grounding(on(X)) :- d(X).\ngrounding(off(X)) :- d(X).\ngrounding(f(X)=true) :- d(X).\n"
        "grounding(n(X)=true) :- d(X).\n",
        "on|3|3|a\noff|27|27|a",
        {"f(a)=true": [(4, 28)], "n(a)=true": [(0, 4), (28, None)]},
        window=5,
    ),
    case(
        "the end of the run is no multiple of the step",
        _F,
        "on|3|3|a\noff|29|29|a\non|30|30|b",
        {"f(a)=true": [(4, 30)]},
        window=7,
    ),
    case(
        "an open value crosses many windows with its true start",
        _F,
        "on|1|1|a\noff|28|28|a",
        {"f(a)=true": [(2, 29)]},
        window=2,
    ),
    case(
        "a rule whose body finds nothing suppresses nothing",
        _F + "initiatedAt(f(X)=true, T) :- happensAt(never(X), T).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(f(X)=true, I), union_all([I], J).\n"
        "holdsFor(d(X)=true, J) :- holdsFor(g(X)=true, I), union_all([I], J).\ncollectIntervals(g(_)=true).\n",
        "on|3|3|a",
        {"f(a)=true": [(4, None)], "d(a)=true": [(4, None)]},
    ),
    case(
        "constants inside terms are part of the name",
        "initiatedAt(obl(send(C, server, G))=true, T) :- happensAt(order(C, G), T).\n"
        "terminatedAt(obl(send(C, server, G))=true, T) :- happensAt(sent(C, server, G), T).\n",
        "order|3|3|c|g\norder|3|3|c|h\nsent|9|9|c|server|g\nsent|9|9|c|other|h",
        {"obl(send(c,server,g))=true": [(4, 10)], "obl(send(c,server,h))=true": [(4, None)]},
    ),
    case(
        "values that occur only in the data",
        "initiatedAt(f(X)=V, T) :- happensAt(set(X, V), T).\n"
        "happensAt(o(X, V), T) :- happensAt(ask(X), T), holdsAt(f(X)=V, T).\n",
        "set|3|3|a|v1\nset|9|9|a|v2\nask|5|5|a\nask|12|12|a",
        {"f(a)=v1": [(4, 10)], "f(a)=v2": [(10, None)], "o(a,v1)": [5], "o(a,v2)": [12]},
    ),
    case(
        "values partly simple and partly statically determined",
        _J + "initiatedAt(m(X)=made, T) :- happensAt(on(X), T).\n"
        "holdsFor(m(X)=joined, J) :- holdsFor(jf(X)=true, I), union_all([I], J).\n"
        "happensAt(o(V), T) :- happensAt(ask(X), T), holdsAt(m(X)=V, T).\n",
        "on|3|3|a\njf|9|9|12|true|a\nask|5|5|a\nask|10|10|a",
        {"m(a)=made": [(4, None)], "m(a)=joined": [(9, 12)], "o(made)": [5, 10], "o(joined)": [10]},
    ),
    case(
        "ticks and windows",
        _F + "happensAt(s(X), T) :- happensAt(startI(f(X)=true), T).\n",
        "on|10|10|a\noff|20|20|a\non|25|25|a",
        {"f(a)=true": [(15, 25), (30, None)], "s(a)": [15, 30]},
        tick=5,
        window=10,
    ),
]

CASES = [*ARRIVAL, *FACTS, *EDGES]
