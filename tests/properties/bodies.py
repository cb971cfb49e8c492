"""Random bodies of rules with a time-point: a trigger that binds the time-point, then conditions.

A body keeps the variables it has bound: *things* (any constant) and *numbers*. Conditions use only bound variables or
new ones, so that every generated program compiles.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from tests.oracle.bodies import logical_goal

__all__ = ["CONSTANTS", "Body", "Fluent", "Vocabulary", "term"]

CONSTANTS = ["a", "b", "c", "1", "2", "2.0", "'003'", "k(a)", "'X y'"]


def term(name: str, arguments: Iterable[str]) -> str:
    """The text of an atom or a structure."""
    inside = ", ".join(arguments)
    return f"{name}({inside})" if inside else name


@dataclass(frozen=True)
class Fluent:
    """A fluent that rules may use; `values` are those written in the rules, the data may have more."""

    name: str
    arity: int
    values: tuple[str, ...]
    kind: str


@dataclass
class Vocabulary:
    """The vocabulary of a program, the random generator, and the number of uses of each construct."""

    random: random.Random
    without: frozenset[str]
    used: Counter[str] = field(default_factory=Counter)
    fluents: list[Fluent] = field(default_factory=list)
    events: list[tuple[str, int]] = field(default_factory=list)
    outputs: list[tuple[str, int]] = field(default_factory=list)
    ahead: list[Fluent] = field(default_factory=list)
    constants: list[str] = field(default_factory=lambda: CONSTANTS)

    @property
    def holding(self) -> list[Fluent]:
        """The fluents that `holdsAt` may use, including fluents whose rules are still to be written, for cycles."""
        return [*self.fluents, *self.ahead]

    def pick(self, choices: Iterable[str]) -> str:
        """One of the constructs that may be used."""
        allowed = [choice for choice in choices if choice not in self.without]
        return self.random.choice(allowed)

    def maybe(self, construct: str, probability: float) -> bool:
        """Whether an optional construct is used; each use is counted."""
        happens = self.random.random() < probability and construct not in self.without
        self.used[construct] += happens
        return happens

    def constant(self) -> str:
        return self.random.choice(self.constants)

    def simple_fluents(self) -> list[Fluent]:
        return [fluent for fluent in self.fluents if fluent.kind == "simple"]


class Body:
    """The conditions of one rule."""

    def __init__(self, vocabulary: Vocabulary, tick: int) -> None:
        self.vocabulary = vocabulary
        self.random = vocabulary.random
        self.tick = tick
        self.things: list[str] = []
        self.numbers: list[str] = []
        self.n_names = 0
        self.conditions: list[str] = []

    @property
    def text(self) -> str:
        return ", ".join(self.conditions)

    @classmethod
    def some(cls, vocabulary: Vocabulary, tick: int) -> Body:
        """A trigger with up to two conditions."""
        body = cls(vocabulary, tick)
        body.conditions.append(body.trigger())
        for _ in range(vocabulary.random.choice([0, 0, 1, 1, 2])):
            body.conditions.append(body.condition())
        return body

    def fresh(self, letter: str) -> str:
        """A variable that stands nowhere else in the rule."""
        self.n_names += 1
        return f"{letter}{self.n_names}"

    def thing(self) -> str:
        return self.random.choice([*self.things, *self.things, self.vocabulary.constant()])

    # -- triggers ------------------------------------------------------------------------------------------------------

    def trigger(self) -> str:
        """A condition that binds the time-point."""
        vocabulary = self.vocabulary
        impossible = set() if vocabulary.outputs else {"output event"}
        impossible |= set() if vocabulary.simple_fluents() else {"initiatedAt trigger", "terminatedAt trigger"}
        kinds = ["input event"] * 3 + [kind for kind in self.TRIGGERS if kind not in impossible]
        kind = vocabulary.pick(kinds)
        vocabulary.used[kind] += 1
        return self.TRIGGERS[kind](self)

    def input_event(self) -> str:
        vocabulary = self.vocabulary
        name, arity = self.random.choice(vocabulary.events)
        names = ["X", "Y"][:arity]
        if name == "n1":
            names = ["X", "N"]
        if arity and vocabulary.maybe("constant argument", 0.15):
            names[0] = vocabulary.constant()
        elif arity and vocabulary.maybe("nested pattern", 0.1):
            names[0] = "k(X)"
        elif arity == 2 and name != "n1" and vocabulary.maybe("repeated variable", 0.1):
            names = ["X", "X"]
        if "X" in names or "k(X)" in names:
            self.things.append("X")
        if "Y" in names:
            self.things.append("Y")
        if "N" in names:
            self.numbers.append("N")
        return f"happensAt({term(name, names)}, T)"

    def output_event(self) -> str:
        name, arity = self.random.choice(self.vocabulary.outputs)
        names = ["X", "Y"][:arity]
        self.things += names
        return f"happensAt({term(name, names)}, T)"

    def edge(self, edge: str) -> str:
        fluent = self.random.choice(self.vocabulary.fluents)
        names = ["X", "Y"][: fluent.arity]
        self.things += names
        return f"happensAt({edge}({term(fluent.name, names)}={self.value(fluent)}), T)"

    def value(self, fluent: Fluent) -> str:
        """A value in a condition: a constant, any value, or a variable that later conditions use."""
        if self.vocabulary.maybe("value variable", 0.2):
            name = self.fresh("V")
            self.things.append(name)
            return name
        return self.random.choice([*fluent.values, "_"])

    def effect(self, predicate: str) -> str:
        fluent = self.random.choice(self.vocabulary.simple_fluents())
        names = ["X", "Y"][: fluent.arity]
        self.things += names
        return f"{predicate}({term(fluent.name, names)}={self.random.choice(fluent.values)}, T)"

    def either_trigger(self) -> str:
        fluent = self.random.choice([f for f in self.vocabulary.fluents if f.arity == 1] or self.vocabulary.fluents[:1])
        self.things.append("X")
        value = self.random.choice(fluent.values)
        return f"(happensAt(e1(X), T) ; happensAt(start({fluent.name}(X)={value}), T))"

    TRIGGERS: ClassVar[dict[str, Callable[[Body], str]]] = {
        "input event": input_event,
        "output event": output_event,
        "start": lambda self: self.edge("start"),
        "end": lambda self: self.edge("end"),
        "initiatedAt trigger": lambda self: self.effect("initiatedAt"),
        "terminatedAt trigger": lambda self: self.effect("terminatedAt"),
        "either trigger": either_trigger,
    }

    # -- conditions ----------------------------------------------------------------------------------------------------

    def condition(self) -> str:
        vocabulary = self.vocabulary
        impossible = set() if vocabulary.simple_fluents() else {"effect", "not effect"}
        impossible |= set() if self.numbers else {"compare", "is"}
        kind = vocabulary.pick(kind for kind in self.CONDITIONS if kind not in impossible)
        vocabulary.used[kind] += 1
        return self.CONDITIONS[kind](self)

    def holds(self, *, is_open: bool = False, binds: bool = True) -> str:
        """`holdsAt` about things that are bound, or constants; open arguments are anonymous."""
        fluent = self.random.choice(self.vocabulary.holding)
        arguments = [self.thing() for _ in range(fluent.arity)]
        if is_open:
            arguments = ["_" if self.random.random() < 0.5 else argument for argument in arguments]
        value = self.value(fluent) if binds else self.random.choice([*fluent.values, "_"])
        return f"holdsAt({term(fluent.name, arguments)}={value}, T)"

    def holds_of_another(self) -> str:
        """`holdsAt` that binds a new thing."""
        fluent = self.random.choice(self.vocabulary.holding)
        names = [self.fresh("W") for _ in range(fluent.arity)]
        self.things += names
        return f"holdsAt({term(fluent.name, names)}={self.value(fluent)}, T)"

    def fact(self) -> str:
        person = self.thing()
        self.things.append("Z")
        return f"bg({person}, Z)"

    def rule_of_facts(self) -> str:
        person, name = self.thing(), self.fresh("Z")
        self.things.append(name)
        return f"linked({person}, {name})"

    def count(self) -> str:
        fluent = self.random.choice(self.vocabulary.holding)
        items, n = self.fresh("L"), self.fresh("C")
        value = self.random.choice([*fluent.values, "_"]) if fluent.arity else "Q"
        inner = f"holdsAt({term(fluent.name, ['Q'] * fluent.arity)}={value}, T)"
        self.numbers.append(n)
        return f"findall(Q, {inner}, {items}), length({items}, {n}), {n} >= {self.random.choice([0, 1, 1, 2])}"

    def aggregate_count(self) -> str:
        name = self.fresh("K")
        self.numbers.append(name)
        return f"aggregate_all(count, {self.holds(is_open=True, binds=False)}, {name}), {name} < 3"

    def aggregate_numbers(self) -> str:
        kind, name = self.random.choice(["sum", "max", "min"]), self.fresh("K")
        inner = self.random.choice(
            [
                "happensAt(n1(_, Q), T)",
                "(happensAt(n1(P, Q), T), \\+ bg(P, _))",
                "(holdsAt(pf(_)=Q, T), number(Q))",
                "holdsAt(pf(_)=Q, T)",
                "(happensAt(n1(_, P), T), Q is P * 2)",
            ]
        )
        self.numbers.append(name)
        return f"aggregate_all({kind}(Q), {inner}, {name})"

    def forall(self) -> str:
        fluent = self.random.choice([f for f in self.vocabulary.holding if f.arity == 1])
        test = self.random.choice(["bg(Q, _)", "holdsAt(pf(Q)=_, T)", f"Q \\= {self.thing()}"])
        return f"forall(holdsAt({fluent.name}(Q)={self.random.choice([*fluent.values, '_'])}, T), {test})"

    def if_then_else(self) -> str:
        test = self.holds(binds=False)
        then = self.random.choice([f"bg({self.thing()}, _)", "true", self.holds(binds=False)])
        otherwise = self.random.choice([f"happensAt(e1({self.thing()}), T)", f"\\+ bg({self.thing()}, _)"])
        return f"({test} -> {then} ; {otherwise})"

    def operand(self) -> str:
        """A variable for arithmetic: mostly a number, else any constant."""
        if self.vocabulary.maybe("arithmetic on any constant", 0.15):
            return self.thing()
        return self.random.choice(self.numbers)

    def compare(self) -> str:
        number = self.operand()
        return self.random.choice(
            [
                f"{number} > 0, big({number})",
                f"{number} =< {self.random.choice(['1', '2.5'])}",
                f"abs({number}) =\\= 3",
                f"T - {number} >= {number} * {self.tick}",
                f"\\+ {number} > 1",
                f"6 / {number} > 2",
                f"{number} mod 2 =:= 0",
                f"\\+ half({number}, 1)",
                f"(sqrt({number}) > 1 ; {number} =:= 0)",
            ]
        )

    def compute(self) -> str:
        """Arithmetic with a result that later conditions use."""
        number, name = self.operand(), self.fresh("R")
        expression = self.random.choice(
            [
                f"{number} * 2",
                f"{number} / 2",
                f"abs({number}) + 1.5",
                f"max({number}, 1)",
                f"min(2.5, {number})",
                f"truncate({number} / 2)",
                f"round({number})",
                f"floor({number}) mod 3",
                f"-{number} - T mod 3",
                f"sqrt(abs({number}))",
                f"truncate({number}) // 2",
                f"12 / {number}",
                f"{number} mod 3",
                f"log({number})",
            ]
        )
        self.numbers.append(name)
        self.things.append(name)
        return f"{name} is {expression}"

    def effect_now(self) -> str:
        predicate = self.vocabulary.pick(["initiatedAt condition", "terminatedAt condition"])
        self.vocabulary.used[predicate] += 1
        fluent = self.random.choice(self.vocabulary.simple_fluents())
        arguments = [self.thing() for _ in range(fluent.arity)]
        value = self.random.choice(fluent.values)
        return f"{predicate.split()[0]}({term(fluent.name, arguments)}={value}, T)"

    def unification(self) -> str:
        name = self.fresh("U")
        person = self.thing()
        self.things.append(name)
        return self.random.choice([f"{name} = {person}", f"p({name}, _) = p({person}, b)", f"{name} = k({person})"])

    def logical(self) -> str:
        person = self.thing()
        goals = [f"bg({person}, _)", f"happensAt(e1({self.thing()}), T)", self.holds(is_open=True, binds=False)]
        return logical_goal(self.random, goals)

    CONDITIONS: ClassVar[dict[str, Callable[[Body], str]]] = {
        "holds": holds,
        "holds of another": holds_of_another,
        "not holds": lambda self: f"not {self.holds(binds=False)}",
        "not inner": lambda self: f"\\+ {self.holds(is_open=True, binds=False)}",
        "fact": fact,
        "rule of facts": rule_of_facts,
        "not fact": lambda self: f"\\+ bg({self.thing()}, _)",
        "not both": lambda self: f"\\+ ({self.holds(is_open=True, binds=False)}, bg({self.thing()}, _))",
        "count": count,
        "aggregate count": aggregate_count,
        "aggregate numbers": aggregate_numbers,
        "forall": forall,
        "if-then-else": if_then_else,
        "either": lambda self: f"({self.holds(binds=False)} ; happensAt(e1({self.thing()}), T))",
        "event": lambda self: f"happensAt(e1({self.thing()}), T)",
        "not event": lambda self: f"not happensAt(e1({self.thing()}), T)",
        "compare": compare,
        "is": compute,
        "effect": effect_now,
        "not effect": lambda self: f"not {self.effect_now()}",
        "unification": unification,
        "logical goal": logical,
        "time": lambda self: f"T mod {3 * self.tick} =\\= 0",
    }
