"""Section 5: delayed effects, postponement, cycles."""

from __future__ import annotations

from tests.spec.cases import case, refused

_ON = "initiatedAt(f=on, T) :- happensAt(on, T).\nterminatedAt(f=on, T) :- happensAt(drop, T).\n"
_OTHER = "initiatedAt(g=seen, T) :- happensAt(look, T).\nterminatedAt(g=seen, T) :- happensAt(blink, T).\n"

DELAYS = [
    case(
        "an initiation has its effect later",
        _ON + "fi(f=on, f=off, 5).",
        "on|3|3",
        {"f=on": [(4, 9)], "f=off": [(9, None)]},
    ),
    case("a break strictly between cancels", _ON + "fi(f=on, f=off, 5).", "on|3|3\ndrop|7|7", {"f=on": [(4, 8)]}),
    case(
        "a break when it is due does not cancel",
        _ON + "fi(f=on, f=off, 5).",
        "on|3|3\ndrop|8|8",
        {"f=on": [(4, 9)], "f=off": [(9, None)]},
    ),
    case(
        "another value strictly between cancels",
        _ON + "initiatedAt(f=mid, T) :- happensAt(mid, T).\nfi(f=on, f=off, 5).",
        "on|3|3\nmid|6|6",
        {"f=on": [(4, 7)], "f=mid": [(7, None)]},
    ),
    case(
        "re-initiations change nothing without p",
        _ON + "fi(f=on, f=off, 5).",
        "on|3|3\non|6|6",
        {"f=on": [(4, 9)], "f=off": [(9, None)]},
    ),
    case(
        "re-initiations postpone with p",
        _ON + "fi(f=on, f=off, 5).\np(f=on).",
        "on|3|3\non|6|6",
        {"f=on": [(4, 12)], "f=off": [(12, None)]},
    ),
    case(
        "a re-initiation when the effect is due postpones with p",
        _ON + "fi(f=on, f=off, 5).\np(f=on).",
        "on|3|3\non|8|8",
        {"f=on": [(4, 14)], "f=off": [(14, None)]},
    ),
    case(
        # At 8 both values are initiated, so neither holds; the initiation of on sets its delay up all the same.
        "a re-initiation when the effect is due, without p",
        _ON + "fi(f=on, f=off, 5).",
        "on|3|3\non|8|8",
        {"f=on": [(4, 9)], "f=off": [(14, None)]},
    ),
    case(
        "a re-initiation after the effect is a new one",
        _ON + "fi(f=on, f=off, 5).",
        "on|3|3\non|12|12",
        {"f=on": [(4, 9), (13, 18)], "f=off": [(9, 13), (18, None)]},
    ),
    case(
        "an initiation that starts nothing sets the delay up",
        _ON + "fi(f=on, f=off, 5).",
        "on|3|3\ndrop|3|3",
        {"f=off": [(9, None)]},
    ),
    case("ft terminates", _ON + "ft(f=on, 5).", "on|3|3", {"f=on": [(4, 9)]}),
    case("ft with p", _ON + "ft(f=on, 5).\np(f=on).", "on|3|3\non|8|8", {"f=on": [(4, 14)]}),
    case("ft is cancelled", _ON + "ft(f=on, 5).", "on|3|3\ndrop|5|5\non|6|6", {"f=on": [(4, 6), (7, 12)]}),
    case(
        "delayed effects chain",
        _ON + "fi(f=on, f=expiring, 3).\nfi(f=expiring, f=off, 2).",
        "on|3|3",
        {"f=on": [(4, 7)], "f=expiring": [(7, 9)], "f=off": [(9, None)]},
    ),
    case(
        "cycles of delays, over windows",
        _ON + "fi(f=on, f=b, 4).\nfi(f=b, f=c, 7).\nfi(f=c, f=on, 2).",
        "on|3|3",
        {"f=on": [(4, 8), (17, 21)], "f=b": [(8, 15), (21, 28)], "f=c": [(15, 17), (28, 30)]},
        end=29,
        window=3,
    ),
    case(
        "a delay longer than the window",
        _ON + "fi(f=on, f=off, 20).",
        "on|3|3",
        {"f=on": [(4, 24)], "f=off": [(24, None)]},
        window=4,
    ),
    case(
        "a delay longer than the window is cancelled",
        _ON + "fi(f=on, f=off, 20).",
        "on|3|3\ndrop|22|22",
        {"f=on": [(4, 23)]},
        window=4,
    ),
    case(
        "a delay longer than the window is postponed",
        _ON + "fi(f=on, f=off, 10).\np(f=on).",
        "on|3|3\non|12|12",
        {"f=on": [(4, 23)], "f=off": [(23, None)]},
        window=4,
    ),
    case(
        "the shortest delay acts",
        _ON + "fi(f=on, f=off, 5).\nfi(f=on, f=mid, 3).\nft(f=on, 9).",
        "on|3|3",
        {"f=on": [(4, 7)], "f=mid": [(7, None)]},
    ),
    case("effects after the end of the run wait", _ON + "fi(f=on, f=off, 40).", "on|3|3", {"f=on": [(4, None)]}),
    case(
        "delays and ticks", _ON + "fi(f=on, f=off, 10).", "on|5|5", {"f=on": [(10, 20)], "f=off": [(20, None)]}, tick=5
    ),
    case(
        "a delay whose target has no grounding",
        _ON + "fi(f=on, f=hidden, 3).\nfi(f=hidden, f=off, 4).\ngrounding(f=on).\ngrounding(f=off).",
        "on|3|3",
        {"f=on": [(4, 7)], "f=off": [(11, None)]},
    ),
    case(
        "fi between different fluents",
        _ON + "fi(f=on, h=late, 5).",
        "on|3|3\non|5|5",
        {"f=on": [(4, None)], "h=late": [(9, None)]},
    ),
    case(
        "fi between different fluents: the first initiation since the FVP began to hold counts",
        _ON + "fi(f=on, h=late, 5).\nterminatedAt(h=late, T) :- happensAt(reset, T).",
        "on|3|3\nreset|10|10\non|12|12",
        {"f=on": [(4, None)], "h=late": [(9, 11)]},
    ),
    case(
        "conditions are tested when the effect is due",
        _ON + _OTHER + "fi(f=on, f=off, 5) :- holdsAt(g=seen, T).",
        "on|3|3\nlook|6|6\nblink|14|14\non|20|20",
        {"f=on": [(4, 9), (21, None)], "f=off": [(9, 21)], "g=seen": [(7, 15)]},
    ),
]

CYCLES = [
    case(
        "a cycle through holdsAt",
        "initiatedAt(a=true, T) :- happensAt(e, T), \\+ holdsAt(b=true, T).\n"
        "initiatedAt(b=true, T) :- happensAt(e, T), holdsAt(a=true, T).\n"
        "terminatedAt(a=true, T) :- happensAt(e, T), holdsAt(b=true, T).\n",
        "e|3|3\ne|6|6\ne|9|9",
        {"a=true": [(4, 10)], "b=true": [(7, None)]},
    ),
    case(
        "a cycle of an FVP with itself",
        "initiatedAt(a=true, T) :- happensAt(e, T), \\+ holdsAt(a=true, T).\n"
        "terminatedAt(a=true, T) :- happensAt(e, T), holdsAt(a=true, T).\n",
        "e|3|3\ne|6|6\ne|9|9",
        {"a=true": [(4, 7), (10, None)]},
    ),
    case(
        "a cycle over windows",
        "initiatedAt(a=true, T) :- happensAt(e, T), \\+ holdsAt(a=true, T).\n"
        "terminatedAt(a=true, T) :- happensAt(e, T), holdsAt(a=true, T).\n",
        "e|3|3\ne|6|6\ne|9|9",
        {"a=true": [(4, 7), (10, None)]},
        window=2,
    ),
    refused(
        "a cycle that does not advance time",
        "initiatedAt(a=true, T) :- happensAt(e, T), initiatedAt(b=true, T).\n"
        "initiatedAt(b=true, T) :- happensAt(e, T), \\+ initiatedAt(a=true, T).\n",
    ),
    refused(
        "a cycle through a statically determined fluent",
        "initiatedAt(a=true, T) :- happensAt(e, T), \\+ holdsAt(b=true, T).\n"
        "holdsFor(b=true, J) :- holdsFor(a=true, I), complement_all([I], J).\n",
    ),
]

CASES = [*DELAYS, *CYCLES]
