"""Random programs and streams that use the whole language without delays and cycles."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from holdsfor.allen import MODES, RELATIONS
from tests.properties.bodies import Body, Fluent, Vocabulary, term
from tests.properties.records import random_records

__all__ = ["CONSTRUCTS", "NOT_YET", "Case", "Generator", "random_case"]

NOT_YET: frozenset[str] = frozenset()
"""Constructs that are not generated yet, each with the reason."""

_OPTIONAL = """
initiatedAt condition, terminatedAt condition, constant argument, nested pattern, repeated variable, value variable
unbound head variable, unbound head variable beside a computed value, unbound event argument, nested head
number in head, point value in head, open termination, mixed values, partly static
initially, initially for all, initially for all but
union_all, intersect_all, relative_complement_all, complement_all, written out, second operation, renamed list
allen, nested allen, allen of itself
intDurGreater, intDurLess, duration by fact, duration between time-points, test in static
predicate over intervals, predicate over whole intervals
two variables, hidden variable, unbound static head, static value variable
grounding, static domain, dynamic domain, collected domain, event grounding
thousands of time-points, start between time-points, interval from before the run
entity that appears late, data value, mixed numbers, value without a result, arithmetic on any constant
"""
CONSTRUCTS: frozenset[str] = frozenset(
    [
        *("simple", "static", "event", *Body.TRIGGERS, *Body.CONDITIONS, *RELATIONS, *MODES),
        *(name for line in _OPTIONAL.split("\n") for name in line.split(", ") if name),
    ]
)
"""Everything that is counted when it is used."""

_BACKGROUND = """\
big(N) :- N > 1.
half(N, M) :- M is N / 2.
linked(X, Z) :- bg(X, Y), bg(Y, Z).
whole([], []).
whole([I|Is], [I|Js]) :- whole(Is, Js).
long([], _, []).
long([(S,E)|Is], D, [(S,E)|Js]) :- E \\= inf, E - S > D, !, long(Is, D, Js).
long([_|Is], D, Js) :- long(Is, D, Js).
"""


@dataclass
class Case:
    """A program, its records (time, text) and the run."""

    text: str
    records: list[tuple[int, str]]
    start: int
    end: int
    tick: int
    allen_memory: int | None = None
    used: Counter[str] = field(default_factory=Counter)


class Generator:
    """Writes one case."""

    LONG_RUN = 4000

    def __init__(self, seed: int, without: frozenset[str]) -> None:
        self.random = random.Random(seed)
        self.vocabulary = Vocabulary(self.random, without)
        self.clauses: list[str] = []
        self.tick = self.random.choice([1, 1, 1, 5, 40])

    def case(self) -> Case:
        r, vocabulary = self.random, self.vocabulary
        start = r.choice([0, 0, -20, 7]) * self.tick
        n_points = self.LONG_RUN if vocabulary.maybe("thousands of time-points", 0.08) else r.choice([15, 30, 60])
        end = start + n_points * self.tick
        if self.tick > 1 and vocabulary.maybe("start between time-points", 0.3):
            start, end = start + 3, end + 3
        self.background()
        self.rules(n_points)
        self.grounding()
        text = "\n".join(self.clauses) + "\n"
        records = self.records(start, end)
        memory = r.choice([0, 2, 5, n_points]) * self.tick
        return Case(text, records, start, end, self.tick, memory, vocabulary.used)

    def rules(self, n_points: int) -> None:
        """Rules for a run of so many time-points."""
        for i in range(self.random.randint(1, 4)):
            kind = self.vocabulary.pick(["simple", "simple", "static", "event"])
            self.vocabulary.used[kind] += 1
            getattr(self, kind)(i)

    def records(self, start: int, end: int) -> list[tuple[int, str]]:
        return random_records(self.vocabulary, start, end, self.tick)

    def background(self) -> None:
        vocabulary = self.vocabulary
        vocabulary.events += [("e0", 0), ("e1", 1), ("e2", 2), ("n1", 2), ("n1", 2)]
        vocabulary.fluents += [Fluent("jf", 1, ("true", "off"), "input"), Fluent("pf", 1, ("true", "2"), "input")]
        self.clauses += ["collectIntervals(jf(_)=_).", "points(pf(_)=_)."]
        known = vocabulary.constants
        facts = [f"bg({fact}, {vocabulary.constant()})." for fact in self.random.sample(known, min(5, len(known)))]
        some = self.random.sample(known, min(4, len(known)))
        limits = [f"limit({c}, {self.random.randint(1, 6) * self.tick})." for c in some]
        self.clauses += [*facts, *limits, *_BACKGROUND.splitlines()]

    # -- rules with a time-point ---------------------------------------------------------------------------------------

    def arguments(self, body: Body, arity: int) -> list[str]:
        """Arguments of a head: bound things, nested, or left to the grounding."""
        vocabulary = self.vocabulary
        names = [self.random.choice(body.things or ["a"]) for _ in range(arity)]
        for i in range(arity):
            if vocabulary.maybe("unbound head variable", 0.07):
                names[i] = f"G{i}"
            elif vocabulary.maybe("nested head", 0.1):
                names[i] = f"k({names[i]})"
        return names

    def simple(self, i: int) -> None:
        vocabulary = self.vocabulary
        name, arity = f"s{i}", self.random.choice([0, 1, 1, 2])
        values = self.random.choice([["true"], ["true", "false"], ["low", "high", "2"]])
        if vocabulary.maybe("mixed values", 0.25):
            values = ["2", "2.0", "'2'", "k(a)", '"two"']
        self.effects(name, arity, values)
        self.initially(name, arity, values)
        vocabulary.fluents.append(Fluent(name, arity, tuple(values), "simple"))

    def effects(self, name: str, arity: int, values: list[str]) -> None:
        """Rules that initiate and terminate a simple fluent."""
        vocabulary = self.vocabulary
        for _ in range(self.random.randint(1, 3)):
            body = Body.some(vocabulary, self.tick)
            value = self.initiated_value(body, values)
            arguments = self.arguments(body, arity)
            if value not in values and any(argument.startswith("G") for argument in arguments):
                if not vocabulary.maybe("unbound head variable beside a computed value", 1.0):
                    value = values[0]
            fluent = term(name, arguments)
            self.clauses.append(f"initiatedAt({fluent}={value}, T) :- {body.text}.")
        for _ in range(self.random.randint(0, 2)):
            body = Body.some(vocabulary, self.tick)
            arguments = [self.random.choice([*body.things, "_"]) for _ in range(arity)]
            vocabulary.used["open termination"] += "_" in arguments
            value = self.random.choice([*values, "_"])
            self.clauses.append(f"terminatedAt({term(name, arguments)}={value}, T) :- {body.text}.")

    def initiated_value(self, body: Body, values: list[str]) -> str:
        if body.numbers and self.vocabulary.maybe("number in head", 0.3):
            return self.random.choice(body.numbers)
        if body.things and self.vocabulary.maybe("point value in head", 0.1):
            return self.random.choice(body.things)
        return self.random.choice(values)

    def initially(self, name: str, arity: int, values: list[str]) -> None:
        if self.vocabulary.maybe("initially", 0.3):
            arguments = [self.vocabulary.constant() for _ in range(arity)]
            self.clauses.append(f"initially({term(name, arguments)}={values[0]}).")
        elif arity == 1 and self.vocabulary.maybe("initially for all", 0.2):
            body = " :- \\+ bg(X, _)" if self.vocabulary.maybe("initially for all but", 0.4) else ""
            body = body or self.random.choice(["", " :- bg(X, _)"])
            self.clauses.append(f"initially({name}(X)={values[0]}){body}.")

    def event(self, i: int) -> None:
        body = Body.some(self.vocabulary, self.tick)
        arguments = body.things[: self.random.choice([0, 1, 1, 2])]
        if arguments and self.vocabulary.maybe("nested head", 0.1):
            arguments[0] = f"k({arguments[0]})"
        if self.vocabulary.maybe("unbound event argument", 0.07):
            arguments = [*arguments[:1], "G"]
        self.clauses.append(f"happensAt({term(f'o{i}', arguments)}, T) :- {body.text}.")
        self.vocabulary.outputs.append((f"o{i}", len(arguments)))

    # -- rules over intervals ------------------------------------------------------------------------------------------

    def static(self, i: int) -> None:
        arity = 2 if self.vocabulary.maybe("two variables", 0.3) else 1
        name, value = f"d{i}", "true"
        partly = [f.name for f in self.vocabulary.simple_fluents() if f.arity == 1 and self.has_own_values(f)]
        if arity == 1 and partly and self.vocabulary.maybe("partly static", 0.3):
            name, value = self.random.choice(partly), "still"
        for _ in range(self.random.choice([1, 1, 2])):
            self.clauses.append(_StaticRule(self.vocabulary, self.tick, arity).text(name, value))
        self.vocabulary.fluents.append(Fluent(name, arity, (value,), "static"))

    def has_own_values(self, fluent: Fluent) -> bool:
        """Whether all effects on a fluent have a constant value, so that another value may be computed."""
        heads = [clause.split(", T) :- ")[0] for clause in self.clauses if f"At({fluent.name}(" in clause]
        return all(head.endswith(tuple(f"={value}" for value in fluent.values)) for head in heads)

    # -- domains -------------------------------------------------------------------------------------------------------

    def grounding(self) -> None:
        vocabulary = self.vocabulary
        if not vocabulary.maybe("grounding", 0.5):
            return
        domain = vocabulary.pick(["static domain", "dynamic domain", "collected domain"])
        vocabulary.used[domain] += 1
        match domain:
            case "static domain":
                self.clauses += [
                    f"dom({c})." for c in self.random.sample(vocabulary.constants, 2 * len(vocabulary.constants) // 3)
                ]
            case "dynamic domain":
                self.clauses += ["dynamicDomain(dom(_)).", "grounding(e2(X, Y)) :- dom(X), dom(Y)."]
                for entity in ("e1(X)", "n1(X, _)", "jf(X)=_", "pf(X)=_"):
                    self.clauses.append(f"grounding({entity}) :- dom(X).")
            case _:
                self.clauses.append("collectGrounds([e1(X), n1(X, _), jf(X)=_], dom(X)).")
        values: dict[tuple[str, int], list[str]] = {}
        for fluent in vocabulary.fluents:
            if fluent.kind != "input":
                values.setdefault((fluent.name, fluent.arity), []).extend(fluent.values)
        for (name, arity), all_values in values.items():
            for value in self.random.sample(all_values, self.random.randint(1, len(all_values))):
                self.ground(f"{term(name, ['X', 'Y'][:arity])}={value}", arity)
        for name, arity in vocabulary.outputs:
            if vocabulary.maybe("event grounding", 0.3):
                self.ground(term(name, ["X", "Y"][:arity]), arity)

    def ground(self, entity: str, arity: int) -> None:
        body = ", ".join(f"dom({name})" for name in ["X", "Y"][:arity]) or "true"
        self.clauses.append(f"grounding({entity}) :- {body}.")


class _StaticRule:
    """One `holdsFor` rule: literals, one or two operations, filters and tests."""

    def __init__(self, vocabulary: Vocabulary, tick: int, arity: int) -> None:
        self.vocabulary = vocabulary
        self.random = vocabulary.random
        self.tick = tick
        self.names = ["X", "Y"][:arity]
        self.steps: list[str] = []
        self.lists: list[str] = []
        self.value: str | None = None

    def text(self, name: str, value: str) -> str:
        arguments = list(self.names)
        for k in range(self.random.randint(1, 3)):
            self.literal(name, k)
        self.names = [each for each in self.names if any(f"({each}" in s or f", {each}" in s for s in self.steps)]
        last = self.operation(self.lists, "J")
        if self.vocabulary.maybe("second operation", 0.2):
            last = self.operation([last, self.random.choice(self.lists)], "JJ")
        if self.vocabulary.maybe("allen", 0.4):
            last = self.allen(last, self.random.choice([*self.lists, *self.lists, last]), "A")
            if self.vocabulary.maybe("nested allen", 0.4):
                last = self.allen(last, self.random.choice([*self.lists, "A"]), "AA")
        last = self.filtered(last)
        self.tests()
        head = [self.head_argument(each) for each in arguments]
        return f"holdsFor({term(name, head)}={self.value or value}, {last}) :- {', '.join(self.steps)}."

    def literal(self, name: str, k: int) -> None:
        known = self.vocabulary.fluents
        before = next((i for i, fluent in enumerate(known) if fluent.name == name), len(known))
        fluent = self.random.choice(known[:before])
        choices = [*self.names, *self.names, "a"]
        if self.vocabulary.maybe("hidden variable", 0.1):
            choices = ["H"]
        arguments = [self.random.choice(choices) for _ in range(fluent.arity)]
        value = self.random.choice([*fluent.values, "_"])
        if self.value is None and name.startswith("d") and self.vocabulary.maybe("static value variable", 0.05):
            value = self.value = "V"
        self.steps.append(f"holdsFor({term(fluent.name, arguments)}={value}, I{k})")
        self.lists.append(f"I{k}")

    def operation(self, lists: list[str], result: str) -> str:
        operations = ["union_all", "intersect_all", "relative_complement_all", "complement_all"]
        operation = self.vocabulary.pick(operations)
        self.vocabulary.used[operation] += 1
        operands = list(lists)
        if operation != "complement_all" and self.vocabulary.maybe("written out", 0.07):
            operands.append(f"[({3 * self.tick}, {7 * self.tick}), ({9 * self.tick}, inf)]")
        if operation == "relative_complement_all":
            self.steps.append(f"{operation}({operands[0]}, [{', '.join(operands[1:])}], {result})")
        else:
            self.steps.append(f"{operation}([{', '.join(operands)}], {result})")
        return result

    def allen(self, one: str, other: str, result: str) -> str:
        relation, mode = self.vocabulary.pick(RELATIONS), self.vocabulary.pick(MODES)
        self.vocabulary.used.update((relation, mode))
        self.vocabulary.used["allen of itself"] += one == other
        source, target = self.random.sample([one, other], 2)
        self.steps.append(f"allen({relation}, {source}, {target}, {mode}, {result})")
        return result

    def filtered(self, last: str) -> str:
        if self.vocabulary.maybe("predicate over intervals", 0.07):
            is_long = self.vocabulary.maybe("predicate over whole intervals", 0.5)
            self.steps.append(f"long({last}, {2 * self.tick}, P)" if is_long else f"whole({last}, P)")
            last = "P"
        if self.random.random() < 0.4:
            name = self.vocabulary.pick(["intDurGreater", "intDurLess"])
            self.vocabulary.used[name] += 1
            bound = f"{self.random.randint(1, 6) * self.tick}"
            if self.names and self.vocabulary.maybe("duration by fact", 0.2):
                self.steps.append(f"limit({self.random.choice(self.names)}, D)")
                bound = self.random.choice(["D", f"D + {self.tick}"])
            if self.tick > 1 and self.vocabulary.maybe("duration between time-points", 0.3):
                bound += " + 1"
            self.steps.append(f"{name}({last}, {bound}, F)")
            last = "F"
        if self.vocabulary.maybe("renamed list", 0.05):
            self.steps.append(f"M = {last}")
            last = "M"
        return last

    def tests(self) -> None:
        if self.names and self.vocabulary.maybe("test in static", 0.2):
            name = self.random.choice(self.names)
            self.steps.append(self.random.choice([f"bg({name}, _)", f"\\+ bg({name}, _)", f"{name} \\= b"]))

    def head_argument(self, name: str) -> str:
        """A variable of the body; one that no condition binds ranges over the grounding, or is a constant instead."""
        if name in self.names or self.vocabulary.maybe("unbound static head", 0.3):
            return name
        return self.vocabulary.constant()


def random_case(seed: int, without: frozenset[str] = NOT_YET) -> Case:
    """The case of a seed."""
    return Generator(seed, without).case()
