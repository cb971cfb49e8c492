"""Random programs and streams that use the whole language without delays, circles and Allen relations."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

CONSTANTS = ["a", "b", "c", "1", "2", "2.0", "'003'", "k(a)", "'X y'"]
FIELDS = {"'003'": "003", "'X y'": "X y"}
NUMBERS = ["0", "1", "3", "2.5", "-4"]


@dataclass
class Case:
    """A program, its records (arrival, text) and the run."""

    text: str
    records: list[tuple[int, str]]
    start: int
    end: int
    tick: int
    used: Counter[str] = field(default_factory=Counter)


class Generator:
    """Writes one case."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.used: Counter[str] = Counter()
        self.clauses: list[str] = []
        self.fluents: list[tuple[str, int, list[str], str]] = []  # name, arity, values, kind
        self.events = [("e0", 0), ("e1", 1), ("e2", 2), ("n1", 2)]
        self.outputs: list[tuple[str, int]] = []

    def pick(self, *choices: str) -> str:
        choice = self.random.choice(choices)
        self.used[choice] += 1
        return choice

    def case(self) -> Case:
        r = self.random
        tick = r.choice([1, 1, 1, 5, 40])
        start = r.choice([0, 0, -20, 7]) * tick
        end = start + r.choice([15, 30, 60]) * tick
        self.clauses += ["collectIntervals(jf(_)=_).", "points(pf(_)=_)."]
        self.fluents += [("jf", 1, ["true", "off"], "input"), ("pf", 1, ["true", "2"], "input")]
        for fact in r.sample(CONSTANTS, 5):
            self.clauses.append(f"bg({fact}, {r.choice(CONSTANTS)}).")
        self.clauses.append("big(N) :- N > 1.")
        for i in range(r.randint(1, 4)):
            kind = self.pick("simple", "simple", "static", "event")
            getattr(self, kind)(i, tick)
        self.grounding()
        return Case("\n".join(self.clauses) + "\n", self.records(start, end, tick), start, end, tick, self.used)

    # -- rules ---------------------------------------------------------------------------------------------------------

    def trigger(self) -> tuple[str, list[str]]:
        """A condition that says when, and the variables it binds."""
        choice = self.pick("input event", "input event", "input event", "start", "end", "output event", "initiatedAt")
        if choice == "output event" and self.outputs:
            name, arity = self.random.choice(self.outputs)
            names = ["X", "Y"][:arity]
            return f"happensAt({_term(name, names)}, T)", names
        simple = [f for f in self.fluents if f[3] == "simple"]
        if choice == "initiatedAt" and simple:
            name, arity, values, _ = self.random.choice(simple)
            names = ["X", "Y"][:arity]
            return f"initiatedAt({_term(name, names)}={self.random.choice(values)}, T)", names
        if choice in ("start", "end"):
            name, arity, values, _ = self.random.choice(self.fluents)
            names = ["X", "Y"][:arity]
            value = self.random.choice([*values, "_"])
            return f"happensAt({choice}({_term(name, names)}={value}), T)", names
        name, arity = self.random.choice(self.events)
        names = ["X", "N"] if name == "n1" else ["X", "Y"][:arity]
        if arity and self.random.random() < 0.15:
            self.used["constant argument"] += 1
            return f"happensAt({_term(name, [self.random.choice(CONSTANTS), *names[1:]])}, T)", names[1:]
        return f"happensAt({_term(name, names)}, T)", names

    def condition(self, bound: list[str]) -> str:
        name, arity, values, _ = self.random.choice(self.fluents)
        arguments = [self.random.choice([*bound, self.random.choice(CONSTANTS)]) for _ in range(arity)]
        value = self.random.choice([*values, "_"])
        holds = f"holdsAt({_term(name, arguments)}={value}, T)"
        open_arguments = ["_" if self.random.random() < 0.5 else a for a in arguments]
        open_holds = f"holdsAt({_term(name, open_arguments)}={value}, T)"
        person = self.random.choice(bound) if bound else "a"
        match self.pick("holds", "not holds", "not inner", "fact", "not fact", "count", "either", "event", "number"):
            case "holds":
                return holds
            case "not holds":
                return f"not {holds}"
            case "not inner":
                return f"\\+ {open_holds}"
            case "fact":
                bound.append("Z")
                return f"bg({person}, Z)"
            case "not fact":
                return f"\\+ bg({person}, _)"
            case "count":
                inner = f"holdsAt({_term(name, ['Q'] * arity)}={value if arity else 'Q'}, T)"
                return f"findall(Q, {inner}, L), length(L, C), C >= 1"
            case "either":
                return f"({holds} ; happensAt(e1({person}), T))"
            case "event":
                return f"{self.random.choice(['', 'not '])}happensAt(e1({person}), T)"
            case _:
                return "N > 0, big(N)" if "N" in bound else f"aggregate_all(count, {open_holds}, K), K < 3"

    def body(self) -> tuple[str, list[str]]:
        trigger, bound = self.trigger()
        conditions = [self.condition(bound) for _ in range(self.random.choice([0, 0, 1, 1, 2]))]
        return ", ".join([trigger, *conditions]), bound

    def simple(self, i: int, tick: int) -> None:
        name, arity = f"s{i}", self.random.choice([0, 1, 1, 2])
        values = self.random.choice([["true"], ["true", "false"], ["low", "high", "2"]])
        for _ in range(self.random.randint(1, 3)):
            body, bound = self.body()
            usable = [v for v in bound if v in ("X", "Y", "Z")]
            arguments = [self.random.choice(usable or ["a"]) for _ in range(arity)]
            choices = [*values, "N"] if "N" in bound else values
            self.clauses.append(
                f"initiatedAt({_term(name, arguments)}={self.random.choice(choices)}, T) :- {body}."
            )
        for _ in range(self.random.randint(0, 2)):
            body, bound = self.body()
            usable = [v for v in bound if v in ("X", "Y", "Z")]
            arguments = [self.random.choice([*usable, "_"]) for _ in range(arity)]
            self.used["open termination"] += "_" in arguments
            self.clauses.append(
                f"terminatedAt({_term(name, arguments)}={self.random.choice([*values, '_'])}, T) :- {body}."
            )
        if self.random.random() < 0.3:
            self.used["initially"] += 1
            arguments = [self.random.choice(CONSTANTS) for _ in range(arity)]
            self.clauses.append(f"initially({_term(name, arguments)}={values[0]}).")
        self.fluents.append((name, arity, values, "simple"))

    def event(self, i: int, tick: int) -> None:
        body, bound = self.body()
        usable = [v for v in bound if v in ("X", "Y", "Z")]
        arguments = usable[:1]
        self.clauses.append(f"happensAt({_term(f'o{i}', arguments)}, T) :- {body}.")
        self.outputs.append((f"o{i}", len(arguments)))

    def static(self, i: int, tick: int) -> None:
        name = f"d{i}"
        for _ in range(self.random.choice([1, 1, 2])):
            parts, steps = [], []
            for k in range(self.random.randint(1, 3)):
                fluent, arity, values, _ = self.random.choice(self.fluents)
                arguments = [self.random.choice(["X", "X", "X", "a"]) for _ in range(arity)]
                value = self.random.choice([*values, "_"])
                steps.append(f"holdsFor({_term(fluent, arguments)}={value}, I{k})")
                parts.append(f"I{k}")
            operation = self.pick("union_all", "intersect_all", "relative_complement_all", "complement_all")
            if operation == "relative_complement_all":
                steps.append(f"{operation}({parts[0]}, [{', '.join(parts[1:])}], J)")
            else:
                steps.append(f"{operation}([{', '.join(parts)}], J)")
            last = "J"
            if self.random.random() < 0.4:
                filter_ = self.pick("intDurGreater", "intDurLess")
                steps.append(f"{filter_}(J, {self.random.randint(1, 6) * tick}, J2)")
                last = "J2"
            if self.random.random() < 0.2:
                self.used["test in static"] += 1
                steps.append("bg(X, _)")
            head = "X" if any("X" in step for step in steps) else self.random.choice(CONSTANTS)
            self.clauses.append(f"holdsFor({name}({head})=true, {last}) :- {', '.join(steps)}.")
        self.fluents.append((name, 1, ["true"], "static"))

    def grounding(self) -> None:
        if self.random.random() < 0.5:
            return
        self.used["grounding"] += 1
        domain = self.pick("static domain", "dynamic domain")
        if domain == "dynamic domain":
            self.clauses.append("dynamicDomain(dom(_)).")
            self.clauses += ["grounding(e1(X)) :- dom(X).", "grounding(e2(X, Y)) :- dom(X), dom(Y)."]
            self.clauses += ["grounding(n1(X, _)) :- dom(X).", "grounding(jf(X)=_) :- dom(X)."]
            self.clauses += ["grounding(pf(X)=_) :- dom(X)."]
        else:
            self.clauses += [f"dom({c})." for c in self.random.sample(CONSTANTS, 6)]
        for name, arity, values, kind in self.fluents:
            if kind == "input":
                continue
            names = ["X", "Y"][:arity]
            body = ", ".join(f"dom({n})" for n in names) or "true"
            for value in self.random.sample(values, self.random.randint(1, len(values))):
                self.clauses.append(f"grounding({_term(name, names)}={value}) :- {body}.")

    # -- records -------------------------------------------------------------------------------------------------------

    def records(self, start: int, end: int, tick: int) -> list[tuple[int, str]]:
        result: list[tuple[int, str]] = []
        for _ in range(self.random.choice([5, 20, 60])):
            time = self.random.randrange(start // tick - 2, end // tick + 3) * tick
            constant = self.field()
            match self.random.choice(["e0", "e1", "e1", "e2", "n1", "jf", "pf", "pf"]):
                case "e0":
                    text = f"e0|{time}|{time}"
                case "e1":
                    text = f"e1|{time}|{time}|{constant}"
                case "e2":
                    text = f"e2|{time}|{time}|{constant}|{self.field()}"
                case "n1":
                    text = f"n1|{time}|{time}|{constant}|{self.random.choice(NUMBERS)}"
                case "jf":
                    stop = time + self.random.randint(1, 9) * tick
                    text = f"jf|{stop}|{time}|{stop}|{self.random.choice(['true', 'off'])}|{constant}"
                case _:
                    text = f"pf|{time}|{time}|{self.random.choice(['true', '2'])}|{constant}"
            result.append((time, text))
        return result

    def field(self) -> str:
        constant = self.random.choice(CONSTANTS)
        return FIELDS.get(constant, constant)


def _term(name: str, arguments: list[str]) -> str:
    return f"{name}({', '.join(arguments)})" if arguments else name


def random_case(seed: int) -> Case:
    return Generator(seed).case()
