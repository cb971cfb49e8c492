"""Section 2: clauses, declarations, conditions and variables."""

from __future__ import annotations

from tests.spec import head_variables
from tests.spec.cases import case, refused

_F = "initiatedAt(f(X)=true, T) :- happensAt(on(X), T).\nterminatedAt(f(X)=true, T) :- happensAt(off(X), T).\n"
_SPEED = "initiatedAt(fast(X)=true, T) :- happensAt(speed(X, N), T), "

CLAUSES = [
    case("output event", "happensAt(o(X), T) :- happensAt(on(X), T).", "on|3|3|a", {"o(a)": [3]}),
    case(
        "events of events",
        "happensAt(o(X), T) :- happensAt(p(X), T).\nhappensAt(p(X), T) :- happensAt(on(X), T).\n",
        "on|3|3|a",
        {"o(a)": [3], "p(a)": [3]},
    ),
    case(
        "output events that differ in a constant argument",
        "happensAt(o(X, low), T) :- happensAt(n(X, N), T), N < 5.\n"
        "happensAt(o(X, high), T) :- happensAt(n(X, N), T), N >= 5.\n",
        "n|3|3|a|4\nn|5|5|a|5",
        {"o(a,low)": [3], "o(a,high)": [5]},
    ),
    case(
        "initiates and terminates",
        "initiates(on(X), f(X)=true, T).\nterminates(off(X), f(X)=true, T) :- holdsAt(f(X)=true, T).\n",
        "off|1|1|a\non|3|3|a\noff|7|7|a",
        {"f(a)=true": [(4, 8)]},
    ),
    case(
        "effects with bounds, in heads and bodies",
        "initiatedAt(f(X)=true, T1, T, T2) :- happensAt(on(X), T).\n"
        "terminatedAt(f(X)=true, _, T, _) :- happensAt(off(X), T).\n"
        "initiatedAt(g(X)=true, T) :- initiatedAt(f(X)=true, _, T, _).\n",
        "on|3|3|a\noff|7|7|a",
        {"f(a)=true": [(4, 8)], "g(a)=true": [(4, None)]},
    ),
    case("initially", _F + "initially(f(a)=true).", "off|7|7|a", {"f(a)=true": [(0, 8)]}),
    case(
        "initially in its old spelling",
        _F + "initiatedAt(f(a)=true, T1, -1, T2) :- T1=<(-1), -1<T2.",
        "off|7|7|a",
        {"f(a)=true": [(0, 8)]},
    ),
    case(
        "initially is no initiation: no start, no startI, no delayed effect",
        _F + "initially(f(a)=true).\nfi(f(X)=true, g(X)=true, 2).\n"
        "happensAt(s(X), T) :- happensAt(start(f(X)=true), T).\n"
        "happensAt(i(X), T) :- happensAt(startI(f(X)=true), T).\n"
        "happensAt(j(X), T) :- initiatedAt(f(X)=true, T).\n",
        "off|7|7|a",
        {"f(a)=true": [(0, 8)]},
    ),
    case(
        "initially of all members of the grounding, with a body",
        _F + "initially(f(X)=true) :- known(X).\ngrounding(f(X)=true) :- thing(X).\n"
        "thing(a). thing(b). known(b). known(c).\n",
        "off|7|7|a",
        {"f(b)=true": [(0, None)]},
    ),
    case(
        "delays with a body that computes the delay",
        _F + "ft(f(X)=true, R) :- lasts(X, D), R is D * 2.\nlasts(a, 3).\n",
        "on|3|3|a\non|3|3|b",
        {"f(a)=true": [(4, 10)], "f(b)=true": [(4, None)]},
    ),
    case(
        "delays with grounding as their body",
        "initiatedAt(f(X)=on, T) :- happensAt(on(X), T).\nfi(f(X)=on, f(X)=off, 3) :- grounding(f(X)=on).\n"
        "grounding(f(X)=on) :- thing(X).\ngrounding(f(X)=off) :- thing(X).\nthing(a).\n",
        "on|3|3|a\non|3|3|b",
        {"f(a)=on": [(4, 7)], "f(a)=off": [(7, None)]},
    ),
    case(
        "a dynamic domain is filled from input entities whose grounding mentions it",
        _F + "initially(f(X)=true).\ndynamicDomain(d(_)).\ngrounding(on(X)) :- d(X).\ngrounding(seen(X, _)) :- d(X).\n"
        "grounding(f(X)=true) :- d(X).\nhappensAt(o(X), T) :- happensAt(seen(X, _), T).\n",
        "off|3|3|z\non|9|9|a\nseen|20|20|b|z",
        {"f(a)=true": [(0, None)], "f(b)=true": [(0, None)], "o(b)": [20]},
    ),
    case(
        "an entity that only a grounding names fills the domain too",
        _F + "initially(f(X)=true).\ndynamicDomain(d(_)).\ngrounding(seen(X, _)) :- d(X).\n"
        "grounding(f(X)=true) :- d(X).\n",
        "seen|20|20|b|z",
        {"f(b)=true": [(0, None)]},
    ),
    case(
        "collectGrounds names the entities",
        _F + "initially(f(X)=true).\ncollectGrounds([off(X), on(X)], d(X)).\ngrounding(f(X)=true) :- d(X).\n",
        "off|3|3|b\non|9|9|a",
        {"f(a)=true": [(0, None)], "f(b)=true": [(0, 4)]},
    ),
    case(
        "members are not those of records that are retracted",
        _F + "initially(f(X)=true).\ncollectGrounds([off(X), on(X)], d(X)).\ngrounding(f(X)=true) :- d(X).\n",
        "on|9|9|a\non|9|9|b\n-on|10|9|b",
        {"f(a)=true": [(0, None)]},
    ),
    case(
        "input is declared for each value: simple values beside input values",
        "collectIntervals(c(_)=formed).\ninitiatedAt(c(X)=inEffect, T) :- happensAt(start(c(X)=formed), T).\n"
        "terminatedAt(c(X)=inEffect, T) :- happensAt(end(c(X)=formed), T).\n",
        "c|3|3|9|formed|a",
        {"c(a)=inEffect": [(3, 9)]},
    ),
    case(
        "a declaration with a body that fails declares nothing",
        "buildFromPoints(_) :- fail.\ncollectIntervals(_) :- fail.\n" + _F,
        "on|3|3|a",
        {"f(a)=true": [(4, None)]},
    ),
    case(
        "leftovers are ignored",
        ":- discontiguous initiatedAt/2.\nneedsGrounding(f(_)=true, x, y).\nindex(f(X)=true, X).\n"
        "/* comment */ % more\n" + _F,
        "on|3|3|a",
        {"f(a)=true": [(4, None)]},
    ),
    case(
        "an input fluent by points",
        "points(pf(_)=_).\nhappensAt(s(X), T) :- happensAt(start(pf(X)=2), T).\n"
        "happensAt(e(X), T) :- happensAt(end(pf(X)=2), T).\n",
        "pf|5|5|2|a\npf|6|6|2|a\npf|7|7|3|a",
        {"s(a)": [4], "e(a)": [6]},
    ),
    case(
        "facts that are ground are input",
        "happensAt(on(a), 3).\nholdsFor(jf(a)=true, [(5,9)]).\nholdsAt(jf(b)=true, 7).\n"
        + _F
        + "happensAt(s(X), T) :- happensAt(start(jf(X)=true), T).\n",
        "off|7|7|a",
        {"f(a)=true": [(4, 8)], "s(a)": [4], "s(b)": [6]},
    ),
    refused("no positive temporal condition binds the time", "initiatedAt(f=true, T) :- \\+ happensAt(e, T)."),
    refused(
        "side effects in a rule",
        "initiatedAt(f(X)=true, T) :- happensAt(on(X), T), note(X).\nnote(X) :- assertz(seen(X)).\n",
    ),
    refused("hooks into another engine", "preProcessing(_) :- true.\n" + _F),
]

CONDITIONS = [
    case(
        "not happensAt",
        "initiatedAt(f(X)=true, T) :- happensAt(on(X), T), not happensAt(off(X), T).",
        "on|3|3|a\noff|3|3|a\non|5|5|a",
        {"f(a)=true": [(6, None)]},
    ),
    case(
        "holdsAt is about the time-point itself",
        _F + "happensAt(o(X), T) :- happensAt(ask(X), T), holdsAt(f(X)=true, T).\n",
        "on|3|3|a\noff|6|6|a\nask|3|3|a\nask|4|4|a\nask|6|6|a\nask|7|7|a",
        {"f(a)=true": [(4, 7)], "o(a)": [4, 6]},
    ),
    case(
        "initiatedAt holds whether or not the initiation takes effect",
        _F + "happensAt(o(X), T) :- happensAt(on(X), T), initiatedAt(f(X)=true, T).\n",
        "on|3|3|a\non|5|5|a\non|8|8|a\noff|8|8|a",
        {"f(a)=true": [(4, 9)], "o(a)": [3, 5, 8]},
    ),
    case(
        "initiatedAt holds of an initiation by a delay",
        "initiatedAt(f=a, T) :- happensAt(e, T).\nfi(f=a, f=b, 4).\nhappensAt(o, T) :- initiatedAt(f=b, T).\n",
        "e|3|3",
        {"f=a": [(4, 8)], "f=b": [(8, None)], "o": [7]},
    ),
    case(
        "terminatedAt holds of a termination and of another value",
        "initiatedAt(f(X)=V, T) :- happensAt(set(X, V), T).\nterminatedAt(f(X)=_, T) :- happensAt(off(X), T).\n"
        "happensAt(o(X), T) :- terminatedAt(f(X)=a, T).\ngrounding(f(X)=V) :- thing(X), value(V).\n"
        "thing(x). thing(y). value(a). value(b).\n",
        "set|3|3|x|a\nset|5|5|x|b\noff|9|9|x",
        {"f(x)=a": [(4, 6)], "f(x)=b": [(6, 10)], "o(x)": [5, 9]},
    ),
    case(
        "a value left open in start ranges over all values",
        "initiatedAt(f(X)=V, T) :- happensAt(set(X, V), T).\nhappensAt(o(X), T) :- happensAt(start(f(X)=_), T).\n"
        "happensAt(p(V), T) :- happensAt(end(f(_)=V), T).\n",
        "set|3|3|x|a\nset|5|5|x|b",
        {"f(x)=a": [(4, 6)], "f(x)=b": [(6, None)], "o(x)": [3, 5], "p(a)": [5]},
    ),
    case(
        "arithmetic",
        _SPEED + "N * 2 >= 10, M is N mod 3, M =:= 1.",
        "speed|3|3|a|7\nspeed|4|4|b|8",
        {"fast(a)=true": [(4, None)]},
    ),
    case(
        "abs, min, max, sqrt, floor",
        _SPEED + "abs(N) =:= max(min(4, 9), floor(sqrt(10))).",
        "speed|3|3|a|-4\nspeed|3|3|b|3",
        {"fast(a)=true": [(4, None)]},
    ),
    case(
        "a branch that fails does not matter",
        "happensAt(o(X), T) :- (fail ; happensAt(on(X), T)).\n"
        "happensAt(p(D), T) :- happensAt(n(X, N), T), (holdsAt(last(X)=M, T) -> D is N - M ; false).\n"
        "initiatedAt(last(X)=N, T) :- happensAt(n(X, N), T).\n"
        "happensAt(q(X), T) :- happensAt(on(X), T), (fail ; happensAt(n(X, _), T), fail).\n",
        "on|3|3|a\nn|3|3|a|5\nn|6|6|a|9",
        {"o(a)": [3], "p(4)": [6], "last(a)=5": [(4, 7)], "last(a)=9": [(7, None)]},
    ),
    case(
        "both zeros are one constant",
        "initiatedAt(f(X)=V, T) :- happensAt(n(X, N), T), V is -N.",
        "n|3|3|a|0.0\nn|5|5|a|-0.0\nn|6|6|-0.0|1.5",
        {"f(a)=0.0": [(4, None)], "f(0.0)= -1.5": [(7, None)]},
    ),
    case(
        "3 and 3.0 compare equal in arithmetic",
        _SPEED + "N =:= 3.",
        "speed|3|3|a|3.0\nspeed|4|4|b|3",
        {"fast(a)=true": [(4, None)], "fast(b)=true": [(5, None)]},
    ),
    case("3 and 3.0 do not unify", _SPEED + "N = 3.", "speed|3|3|a|3.0\nspeed|4|4|b|3", {"fast(b)=true": [(5, None)]}),
    case(
        "findall and length",
        "happensAt(o(N), T) :- happensAt(e, T), findall(X, happensAt(on(X), T), L), length(L, N).",
        "e|3|3\non|3|3|a\non|3|3|b\ne|5|5",
        {"o(2)": [3], "o(0)": [5]},
    ),
    case(
        "findall over background knowledge",
        "happensAt(o(X, N), T) :- happensAt(on(X), T), findall(Y, link(X, Y), L), length(L, N).\n"
        "link(a, b). link(a, c).\n",
        "on|3|3|a\non|5|5|b",
        {"o(a,2)": [3], "o(b,0)": [5]},
    ),
    case(
        "aggregate_all over events and fluents",
        _F + "happensAt(c(N), T) :- happensAt(e, T), aggregate_all(count, holdsAt(f(_)=true, T), N).\n"
        "happensAt(s(N), T) :- happensAt(e, T), aggregate_all(sum(M), happensAt(n(_, M), T), N).\n"
        "happensAt(m(N), T) :- happensAt(e, T), aggregate_all(max(M), happensAt(n(_, M), T), N).\n",
        "on|1|1|a\non|1|1|b\ne|3|3\nn|3|3|a|4\nn|3|3|b|5\ne|5|5",
        {"f(a)=true": [(2, None)], "f(b)=true": [(2, None)], "c(2)": [3, 5], "s(9)": [3], "s(0)": [5], "m(5)": [3]},
    ),
    case(
        "disjunction and if-then-else",
        "happensAt(o(X), T) :- happensAt(on(X), T), (red(X) ; blue(X)).\n"
        "happensAt(p(X), T) :- happensAt(on(X), T), (red(X) -> happensAt(e, T) ; blue(X)).\nred(a). blue(b).\n",
        "on|3|3|a\non|3|3|b\non|3|3|c\non|5|5|a\ne|5|5",
        {"o(a)": [3, 5], "o(b)": [3], "p(b)": [3], "p(a)": [5]},
    ),
]

VARIABLES = [
    case(
        "an unbound head variable ranges over the grounding",
        "initiatedAt(in(V, A)=true, T) :- happensAt(enter(V, A), T).\n"
        "terminatedAt(in(V, _)=true, T) :- happensAt(gap(V), T).\n"
        "grounding(in(V, A)=true) :- vessel(V), area(A).\nvessel(v). vessel(w). area(x). area(y).\n",
        "enter|3|3|v|x\nenter|4|4|v|y\nenter|5|5|w|x\ngap|9|9|v",
        {"in(v,x)=true": [(4, 10)], "in(v,y)=true": [(5, 10)], "in(w,x)=true": [(6, None)]},
    ),
    case(
        "the grounding of all values counts for an unbound head variable",
        "initiatedAt(voted(V, M)=aye, T) :- happensAt(aye(V, M), T).\n"
        "initiatedAt(voted(V, M)=nay, T) :- happensAt(nay(V, M), T).\n"
        "initiatedAt(voted(_V, M)=null, T) :- happensAt(clear(M), T).\n"
        "grounding(voted(V, M)=aye) :- voter(V), motion(M).\ngrounding(voted(V, M)=nay) :- voter(V), motion(M).\n"
        "voter(a). voter(b). motion(m). motion(n).\n",
        "aye|3|3|a|m\nnay|4|4|b|m\naye|5|5|a|n\nclear|9|9|m",
        {"voted(a,m)=aye": [(4, 10)], "voted(b,m)=nay": [(5, 10)], "voted(a,n)=aye": [(6, None)]},
    ),
    case(
        "an unbound variable of an initiation ranges over the grounding",
        "initiatedAt(alarm(X)=true, T) :- happensAt(e, T).\ngrounding(alarm(X)=true) :- thing(X).\n"
        "thing(a). thing(b).\n",
        "e|3|3",
        {"alarm(a)=true": [(4, None)], "alarm(b)=true": [(4, None)]},
    ),
    case(
        "a variable that occurs only under a negation is quantified inside it",
        "happensAt(o(X), T) :- happensAt(on(X), T), \\+ happensAt(meet(X, Y), T), \\+ link(X, Y).\nlink(b, z).\n",
        "on|3|3|a\non|3|3|b\non|4|4|a\nmeet|4|4|a|q",
        {"o(a)": [3]},
    ),
    refused(
        "a test of a variable that only a negation mentions", "happensAt(o(X), T) :- happensAt(on(X), T), \\+ N > 3."
    ),
    case(
        "a goal may leave variables open",
        "happensAt(o(X), T) :- happensAt(on(X), T), decrypt(X, _, _).\ndecrypt(_, _, _).\n",
        "on|3|3|a",
        {"o(a)": [3]},
    ),
    case(
        "a goal with open variables before the event that binds them",
        "happensAt(o(X, N), T) :- price(X, N), happensAt(on(X), T).\nprice(_, 10).\nprice(a, 20).\n",
        "on|3|3|a\non|4|4|b",
        {"o(a,10)": [3], "o(a,20)": [3], "o(b,10)": [4]},
    ),
    case(
        "conditions that share an open variable are solved together",
        "happensAt(o(X), T) :- happensAt(on(X), T), pair(X, Y), check(Y).\npair(_, _).\npair(c, 2).\ncheck(1).\n",
        "on|3|3|a",
        {"o(a)": [3]},
    ),
    case(
        "a disjunction that binds in one branch",
        "happensAt(o(X), T) :- happensAt(on(X), T), (\\+ link(X, _) ; weight(X, N)).\n"
        "link(a, b). link(c, d). weight(a, 5).\n",
        "on|3|3|a\non|3|3|b\non|3|3|c",
        {"o(a)": [3], "o(b)": [3]},
    ),
    case(
        "a test before what binds its variable",
        "happensAt(o(X), T) :- N > 3, \\+ bad(X), M < 20, M is N * 2, happensAt(n(X, N), T).\nbad(b).\n",
        "n|3|3|a|4\nn|3|3|b|4\nn|3|3|c|3\nn|4|4|d|10",
        {"o(a)": [3]},
    ),
    case(
        "a test of the time before the event",
        "happensAt(o(X), T) :- T mod 2 =:= 0, happensAt(on(X), T).",
        "on|3|3|a\non|4|4|a",
        {"o(a)": [4]},
    ),
    case(
        "an FVP outside its grounding is never derived",
        _F + "happensAt(o(X), T) :- happensAt(ask(X), T), holdsAt(f(X)=true, T).\ngrounding(f(X)=true) :- thing(X).\n"
        "thing(a).\n",
        "on|3|3|a\non|3|3|b\nask|5|5|a\nask|5|5|b",
        {"f(a)=true": [(4, None)], "o(a)": [5]},
    ),
    case(
        "a value without a grounding is not reported but breaks the others",
        "initiatedAt(t(X)=V, T) :- happensAt(set(X, V), T).\ngrounding(t(X)=hot) :- thing(X).\nthing(a).\n",
        "set|3|3|a|hot\nset|7|7|a|warm",
        {"t(a)=hot": [(4, 8)]},
    ),
    case(
        "without a grounding the domain is what input and background mention",
        _F + "initiatedAt(f(X)=true, T) :- happensAt(all, T).\n",
        "on|3|3|a\noff|5|5|a\noff|5|5|b\nall|9|9",
        {"f(a)=true": [(4, 6), (10, None)], "f(b)=true": [(10, None)]},
    ),
]

CASES = [*CLAUSES, *CONDITIONS, *VARIABLES, *head_variables.CASES]
