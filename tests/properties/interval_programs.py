"""Random `holdsFor` rules with unusual shapes, and records for them.

Variables of conditions on fluents are bound by goals, by the head or not at all. Operands are empty, outside their
grounding or have any value. Steps are in any order. Heads have variables that the body lacks, with and without a
grounding.
"""

from __future__ import annotations

import random
import re

from tests.properties.programs import Case

__all__ = ["interval_case"]

_BASE = """
heavy(a). heavy(zz).
link(a, b). link(b, c). link(c, c).
near(X, Y) :- link(X, Y).
near(X, Y) :- link(Y, X).
size(a, 2). size(b, 5). size(c, 9).
kind(slow). kind(fast).
:- intervalwise(trim/2).
trim([(S, E)], [(S2, E)]) :- S2 is S + 1, (E == inf -> true ; S2 < E).
:- intervalwise(longer/3).
longer(D, [(S, E)], [(S, E)]) :- E \\== inf, E - S > D.
collectIntervals(in0(_)=true).
collectIntervals(in1(_, _)=true).
collectIntervals(mode(_)=_).
initiatedAt(s0(X)=true, T) :- happensAt(on(X), T).
terminatedAt(s0(X)=true, T) :- happensAt(off(X), T).
initiatedAt(v0(X)=V, T) :- happensAt(turn(X, V), T).
initiatedAt(n0(X)=N, T) :- happensAt(add(X, M), T), N is M + 1.
"""
_VARIABLES = ["X"] * 9 + ["Y"] * 6 + ["Z"] * 2 + ["_", "a", "b"]
_VALUES = {
    "true": ["true"],
    "V": ["slow", "fast", "_", "V", "V", "W"],
    "N": ["_", "N", "2"],
}
_RELATIONS = ["before", "meets", "starts", "finishes", "during", "overlaps", "equal"]
_MODES = ["source", "target", "union", "intersect", "complement"]
_GOALS = [
    "heavy(X)",
    "heavy(Y)",
    "\\+ heavy(X)",
    "link(X, Y)",
    "near(X, Y)",
    "X \\= Y",
    "size(X, S), S > 3",
    "\\+ link(Y, _)",
    "kind(V)",
    "X = a",
    "member(Y, [a, q])",
]


class _IntervalCase:
    """Writes one case; `fluents` are names with their arity and kind of value."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.fluents = [("in0", 1, "true"), ("in1", 2, "true"), ("mode", 1, "V")]
        self.fluents += [("s0", 1, "true"), ("v0", 1, "V"), ("n0", 1, "N")]
        self.n_lists = 0

    def case(self) -> Case:
        r = self.random
        grounded = [fluent for fluent in self.fluents[:-1] if r.random() < 0.12]
        clauses = [self.rule(f"d{i}") for i in range(r.randint(1, 4))]
        grounded += [fluent for fluent in self.fluents[6:] if r.random() < 0.35]
        clauses += [self.grounding(*fluent) for fluent in grounded]
        return Case(_BASE + "\n".join(clauses) + "\n", self.records(), 0, 30, 1, 1000)

    def grounding(self, name: str, arity: int, value: str) -> str:
        arguments = ["X", "Y", "Z"][:arity]
        goals = [self.random.choice([f"heavy({a})", f"size({a}, _)", f"member({a}, [a, b])"]) for a in arguments]
        if value == "V":
            goals.append("kind(V)")
        return f"grounding({name}({', '.join(arguments)})={value}) :- {', '.join(goals)}."

    def new_list(self) -> str:
        self.n_lists += 1
        return f"I{self.n_lists}"

    def rule(self, name: str) -> str:
        r = self.random
        goals: list[str] = []
        lists: list[str] = []
        for _ in range(r.randint(1, 3)):
            lists.append(self.new_list())
            goals.append(self.literal(lists[-1]))
        for _ in range(r.randint(1, 3)):
            goals += self.operation(lists)
        goals += r.sample(_GOALS, r.choice([0, 0, 1, 1, 2]))
        if r.random() < 0.5:
            r.shuffle(goals)
        body = ", ".join(goals)
        head = [variable for variable in "XYZ" if r.random() < 0.6] or ["X"]
        value = "V" if re.search(r"\bV\b", body) and r.random() < 0.4 else "true"
        self.fluents.append((name, len(head), value))
        return f"holdsFor({name}({', '.join(head)})={value}, {lists[-1]}) :- {body}."

    def literal(self, result: str) -> str:
        r = self.random
        name, arity, value = r.choice(self.fluents)
        arguments = ", ".join(r.choice(_VARIABLES) for _ in range(arity))
        return f"holdsFor({name}({arguments})={r.choice(_VALUES[value])}, {result})"

    def operation(self, lists: list[str]) -> list[str]:
        """A step over some of the lists, possibly with a goal that binds a variable it needs; adds its result."""
        r = self.random
        one, other, result, variable = r.choice(lists), r.choice(lists), self.new_list(), r.choice("XY")
        lists.append(result)
        bound = f"D{result}"
        match r.choice(
            ["union", "intersect", "subtract", "complement", "duration", "allen", "trim", "longer", "written"]
        ):
            case "union":
                return [f"union_all([{one}, {other}], {result})"]
            case "intersect":
                return [f"intersect_all([{one}, {other}], {result})"]
            case "subtract":
                return [f"relative_complement_all({one}, [{other}], {result})"]
            case "complement":
                return [f"complement_all([{one}], {result})"]
            case "duration":
                comparison = r.choice(["Greater", "Less"])
                return [f"intDur{comparison}({one}, {bound}, {result})", f"size({variable}, {bound})"]
            case "allen":
                return [f"allen({r.choice(_RELATIONS)}, {one}, {other}, {r.choice(_MODES)}, {result})"]
            case "trim":
                return [f"trim({one}, {result})"]
            case "longer":
                return [f"longer({bound}, {one}, {result})", f"size({variable}, {bound})"]
            case _:
                return [f"union_all([{one}, [(3, 6)]], {result})"]

    def records(self) -> list[tuple[int, str]]:
        r = self.random
        entities = r.choice([["a", "b", "c"], ["a", "b"], ["a"], ["a", "e"]])
        found: list[tuple[int, str]] = []
        for name, n_arguments in (("in0", 1), ("in1", 2)):
            for _ in range(r.randint(0, 4)):
                at, arguments = r.randint(0, 20), "|".join(r.choice(entities) for _ in range(n_arguments))
                found.append((at, f"{name}|{at}|{at}|{at + r.randint(1, 9)}|true|{arguments}"))
        for entity in entities:
            at = r.randint(0, 5)
            while at < 22:
                until = at + r.choice([1, 2, 4, 6])
                found.append((at, f"mode|{at}|{at}|{until}|{r.choice(['slow', 'fast', 'odd'])}|{entity}"))
                at = until + r.choice([0, 0, 1, 4, 9])
        for event in (*["on", "off"] * 3, *["turn"] * 4, *["add"] * 2):
            at = r.randint(0, 28)
            more = {"turn": f"|{r.choice(['slow', 'fast'])}", "add": f"|{r.randint(0, 2)}"}.get(event, "")
            found.append((at, f"{event}|{at}|{at}|{r.choice(entities)}{more}"))
        return found


def interval_case(seed: int) -> Case:
    """The case of a seed."""
    return _IntervalCase(seed).case()
