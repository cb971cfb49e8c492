"""Random conditions for rules with a time-point; a condition may precede the conditions that bind its variables."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Fluent", "Words", "body", "logical_goal", "term"]


def term(name: str, arguments: list[str]) -> str:
    return f"{name}({', '.join(arguments)})" if arguments else name


@dataclass(frozen=True)
class Fluent:
    """A fluent of one place or none that conditions may be about."""

    name: str
    arity: int
    values: tuple[str, ...]
    kind: str


@dataclass
class Words:
    """The vocabulary of a program, the random generator, and the number of uses of each construct."""

    random: random.Random
    constants: list[str]
    tick: int
    without: frozenset[str] = frozenset()
    used: Counter[str] = field(default_factory=Counter)
    fluents: list[Fluent] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    ahead: list[Fluent] = field(default_factory=list)
    """Fluents whose rules are being written: only `holdsAt` may ask for them, in a cycle that advances time."""

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def use(self, construct: str, probability: float = 1.0) -> bool:
        """Whether an optional construct is written; each use is counted."""
        is_used = self.chance(probability) and construct not in self.without
        self.used[construct] += is_used
        return is_used

    def pick(self, choices: dict[str, str]) -> str:
        """One of several named constructs."""
        name = self.random.choice([choice for choice in choices if choice not in self.without])
        self.used[name] += 1
        return choices[name]

    def constant(self) -> str:
        return self.random.choice(self.constants)

    def fluent(self, *kinds: str) -> Fluent:
        return self.random.choice([fluent for fluent in self.fluents if not kinds or fluent.kind in kinds])

    def held(self) -> Fluent:
        """A fluent that `holdsAt` may use."""
        if self.ahead and self.use("own fluent in a condition", 0.3):
            return self.random.choice(self.ahead)
        return self.fluent()

    def has(self, *kinds: str) -> bool:
        return any(fluent.kind in kinds for fluent in self.fluents)

    def value(self, fluent: Fluent, variable: str) -> str:
        return self.random.choice([*fluent.values, *fluent.values, "_", variable])


def body(words: Words, *, n_more: int = 2) -> tuple[str, bool, bool]:
    """The text of a body that binds X, and whether it binds Y and the number N too."""
    conditions, has_y, has_n = _trigger(words)
    names = ["X", "X", "Y" if has_y else "X", words.constant()]
    for i in range(words.random.randint(0, n_more)):
        conditions.append(_condition(words, names, i, has_n=has_n))
    if len(conditions) > 1 and words.use("condition before what binds it", 0.5):
        words.random.shuffle(conditions)
    return ", ".join(conditions), has_y, has_n


def _trigger(words: Words) -> tuple[list[str], bool, bool]:
    """A condition that binds the time-point and X."""
    r = words.random
    if words.chance(0.45):
        kind = r.choice(["e1", "e2", "n1", "odd"])
        words.used[f"event {kind}"] += 1
        text = {"e1": "e1(X)", "e2": "e2(X, Y)", "n1": "n1(X, N)", "odd": "'Odd e'(X)"}[kind]
        return [f"happensAt({text}, T)"], kind == "e2", kind == "n1"
    fluent = words.fluent("simple") if words.has("simple") and words.chance(0.4) else words.fluent()
    fvp = f"{term(fluent.name, ['X'] * fluent.arity)}={words.value(fluent, 'V')}"
    binds_x = [] if fluent.arity else ["bg(X, _)"]
    choices = {edge: f"happensAt({edge}({fvp}), T)" for edge in ("start", "end", "startI", "endI")}
    if fluent.kind == "simple":
        for effect in ("initiatedAt", "terminatedAt"):
            choices[f"{effect} trigger"] = f"{effect}({fvp}, T)"
            choices[f"{effect} with bounds"] = f"{effect}({fvp}, _, T, _)"
    if words.outputs:
        choices["output event"] = f"happensAt({r.choice(words.outputs)}(X), T)"
    choices["either trigger"] = "(happensAt(e1(X), T) ; happensAt('Odd e'(X), T))"
    choices["either event or edge"] = f"(happensAt(e2(X, _), T) ; happensAt(start({fvp}), T))"
    if fluent.arity == 0:
        del choices["either event or edge"]
    return [words.pick(choices), *binds_x], False, False


def _condition(words: Words, names: list[str], i: int, *, has_n: bool) -> str:
    r = words.random
    who, other, fluent = r.choice(names), r.choice(names), words.held()
    fvp = f"{term(fluent.name, [who] * fluent.arity)}={words.value(fluent, f'V{i}')}"
    inner = f"{term(fluent.name, [r.choice([who, '_', f'Q{i}'])] * fluent.arity)}={r.choice([*fluent.values, '_'])}"
    choices = {
        "holdsAt": f"holdsAt({fvp}, T)",
        "not holdsAt": f"not holdsAt({inner}, T)",
        "not both": f"\\+ (holdsAt({inner}, T), bg({other}, _))",
        "happensAt condition": f"happensAt(e1({who}), T)",
        "not happensAt": f"\\+ happensAt(e2({who}, _), T)",
        "fact": f"bg({who}, Z{i})",
        "not fact": f"\\+ bg({who}, {r.choice(['_', other])})",
        "fact with a variable": f"any({who}, {r.choice(['ok', 'W' + str(i)])})",
        "clause": f"linked({who}, Z{i})",
        "clause with a variable in its head": f"same({who}, U{i})",
        "clause with a test": f"(bg({who}, U{i}), other(U{i}, {other}))",
        "disjunction": f"(holdsAt({inner}, T) ; bg({other}, _))",
        "disjunction that binds in one branch": f"(\\+ bg({who}, _) ; linked({who}, U{i}))",
        "if-then-else": f"(bg({who}, _) -> \\+ holdsAt({inner}, T) ; happensAt(e1({other}), T))",
        "forall": f"forall(bg({who}, Q{i}), \\+ holdsAt({_about(words, 'Q' + str(i))}, T))",
        "findall and length": f"findall(Q{i}, bg(Q{i}, {r.choice(['_', other])}), L{i}), length(L{i}, M{i}), M{i} > 1",
        "count": f"aggregate_all(count, holdsAt({inner}, T), M{i}), M{i} >= {r.choice([0, 1, 2])}",
        "count of events": f"aggregate_all(count, happensAt(e2(_, Q{i}), T), M{i}), M{i} < 2",
        "time": f"T mod {3 * words.tick} =\\= 0",
        "unification": f"p(U{i}, _) = p({who}, b), \\+ bg(U{i}, U{i})",
        "different": f"{who} \\= {words.constant()}",
        "comparison of a constant": f"{who} > 2",
        "negated comparison of a constant": f"\\+ {who} =< 2",
        "clause that computes": f"heavy({who})",
        "negated clause that computes": f"\\+ heavy({who})",
        "computed value": f"half({who}, H{i}), H{i} < 2",
        "sum of facts": f"aggregate_all(sum(Q{i} - 1), bg(_, Q{i}), S{i}), S{i} > 1",
        "findall of comparisons": f"findall(Q{i}, (bg(_, Q{i}), Q{i} > 2.5), L{i}), length(L{i}, M{i}), M{i} < 2",
        "disjunction of comparisons": f"({who} > 2 ; {other} < 3)",
        "logical goal": logical_goal(r, [f"bg({who}, _)", f"happensAt(e1({other}), T)", f"\\+ holdsAt({inner}, T)"]),
    }
    if words.has("simple"):
        simple = words.fluent("simple")
        effect = f"{term(simple.name, [who] * simple.arity)}={r.choice(simple.values)}"
        choices |= {
            "initiatedAt condition": f"initiatedAt({effect}, T)",
            "not initiatedAt": f"not initiatedAt({effect}, T)",
            "terminatedAt condition": f"terminatedAt({effect}, T)",
            "not terminatedAt": f"\\+ terminatedAt({effect}, T)",
        }
    if has_n:
        choices |= {
            "comparison": f"N {r.choice(['>', '=<', '=:='])} {r.choice(['1', '2', '2.5'])}",
            "arithmetic": f"R{i} is abs(N) mod 3, R{i} < 2",
            "sum": f"aggregate_all(sum(Q{i}), happensAt(n1(_, Q{i}), T), S{i}), S{i} > 2",
            "maximum": f"aggregate_all(max(Q{i}), happensAt(n1(_, Q{i}), T), S{i}), S{i} =< N",
            "negated test": "\\+ N > 2",
            "division": f"R{i} is 6 / N, R{i} > 1",
            "remainder": "N mod 2 =:= 0",
            "root": "sqrt(N) > 1",
            "minimum of quotients": f"aggregate_all(min(6 / Q{i}), happensAt(n1(_, Q{i}), T), S{i}), S{i} < 4",
        }
    return words.pick(choices)


def logical_goal(chance: random.Random, goals: list[str], depth: int = 0) -> str:
    """A goal of `true`, `fail` and some goals, nested in control constructs; nothing is bound outside of it."""
    if depth == 3 or (depth and chance.random() < 0.4):
        return chance.choice(["true", "true", "fail", "false", *goals])
    one, other, third = (logical_goal(chance, goals, depth + 1) for _ in range(3))
    return chance.choice(
        [
            f"\\+ {one}",
            f"not({one})",
            f"\\+ ({one}, {other})",
            f"({one}, {other}, {third})",
            f"({one} ; {other})",
            f"({one} ; {other} ; {third})",
            f"({one} -> {other} ; {third})",
            f"forall({one}, {other})",
        ]
    )


def _about(words: Words, who: str) -> str:
    fluent = words.fluent()
    return f"{term(fluent.name, [who] * fluent.arity)}={words.random.choice(fluent.values)}"
