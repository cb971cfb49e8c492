"""Random programs with the constructs of existing rule files, small enough for the oracle.

Every rule is drawn from forms that are counted, so that a test can check that all of them occur.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tests.oracle.bodies import Fluent, Words, body, term
from tests.oracle.questions import Question
from tests.oracle.streams import FIELDS, records

__all__ = ["CONSTRUCTS", "NOT_YET", "random_question", "windowed_question"]

NOT_YET: frozenset[str] = frozenset()
"""Constructs that an engine does not evaluate as the oracle does yet."""

_NAMES = """
event e1, event e2, event n1, event odd, either trigger, either event or edge, output event, start, end, startI, endI
initiatedAt trigger, initiatedAt with bounds, terminatedAt trigger, terminatedAt with bounds
holdsAt, not holdsAt, not both, happensAt condition, not happensAt, fact, not fact, fact with a variable, clause
clause with a variable in its head, clause with a test, disjunction, disjunction that binds in one branch, if-then-else
forall, findall and length, count, count of events, time, unification, different, initiatedAt condition, not initiatedAt
logical goal
terminatedAt condition, not terminatedAt, comparison, arithmetic, sum, maximum, negated test
condition before what binds it, initially, initially of all, unbound head variable, value outside grounding
value from data, open termination, effect with bounds, initiates and terminates, delay by fact, fi, ft, cycle of delays
postponable, output event rule, input value beside simple values, static value beside simple values, quoted fluent
fluent without grounding, value without grounding, grounded static fluent, dynamic domain, double-quoted text
goal before or between interval operations, goal in static, negated goal in static, emptiness test, empty fall-back
some value in static, empty operand, simple operand, union_all, intersect_all, relative_complement_all, complement_all
allen, allen as a predicate, intDurGreater, intDurLess, duration by fact, renamed list, second complement
second intersection, second difference, second duration, second allen
time far from zero, time before zero, record at the start of the run, records at the end of the run, late record
late interval, record that arrives after the run, retraction, record inserted again, partial retraction
own fluent in a condition, nested head, delay with a condition when due, second variable in static, given facts
value variable and a duration, value variable and a difference, value variable and a goal
delay to another fluent, retraction beside a dynamic domain, lines in any order, windows that overlap
end between query times
comparison of a constant, negated comparison of a constant, clause that computes, negated clause that computes
computed value, sum of facts, findall of comparisons, disjunction of comparisons, division, remainder, root
minimum of quotients, value without a result, comparison in static, duration by a constant
"""
CONSTRUCTS: frozenset[str] = frozenset(name for line in _NAMES.split("\n") for name in line.split(", ") if name)
"""Everything that is counted when it is written."""

BACKGROUND = """\
any(_, ok).
any(_, X) :- bg(_, X).
same(X, X).
linked(X, Z) :- bg(X, Y), bg(Y, Z).
linked(X, Y) :- bg(X, Y), \\+ bg(Y, X).
other(X, Y) :- X \\= Y.
heavy(X) :- X > 2.
heavy(X) :- bg(X, Y), Y < 3.
half(X, Y) :- Y is X / 2.
half(X, 0) :- bg(X, _).
"""
RELATIONS = ["before", "meets", "overlaps", "starts", "finishes", "during", "equal"]
INVERSES = ["after", "met_by", "overlapped_by", "started_by", "finished_by", "contains"]
MODES = ["source", "target", "union", "intersect", "complement", "complement_inv"]


class _Generator:
    def __init__(self, seed: int, without: frozenset[str]) -> None:
        self.random = r = random.Random(seed)
        constants = r.sample([constant for constant in FIELDS if constant != "'Payment'"], r.choice([2, 3, 3]))
        self.words = Words(r, [], r.choice([1, 1, 1, 2, 5]), without)
        is_quoted = any('"' in constant for constant in constants) and self.words.use("double-quoted text")
        self.words.constants = constants if is_quoted else [constant.replace('"', "'") for constant in constants]
        self.words.fluents += [
            Fluent("jf", 1, ("true", "off"), "input"),
            Fluent("pf", 1, ("true", "2"), "input"),
            Fluent("never", 1, ("true",), "input"),
        ]
        self.clauses = ["collectIntervals(jf(_)=_).", "points(pf(_)=_).", "collectIntervals(never(_)=true)."]

    def question(self) -> tuple[Question, Words]:
        r, words = self.random, self.words
        n_points = r.choice([10, 16, 24])
        start = r.choice([0, 0, -8, 7, 2**59]) * words.tick
        words.used["time far from zero"] += start >= 2**59
        words.used["time before zero"] += start < 0
        end = start + n_points * words.tick
        self.first = start
        self._background()
        for i in range(r.randint(1, 5)):
            kind = (
                "simple"
                if i == 0
                else r.choice(["simple", "simple", "static", "static", "event", "mixed", "value", "given"])
            )
            getattr(self, f"_{kind}")(i)
        r.shuffle(self.clauses)
        text = "\n".join(self.clauses) + "\n" + BACKGROUND
        lines = tuple(records(words, start, end, text))
        memory = r.choice([None, 0, 3 * words.tick])
        return Question(text, lines, end, start, words.tick, memory), words

    def _background(self) -> None:
        words = self.words
        pairs = {(words.constant(), words.constant()) for _ in range(self.random.randint(1, 4))}
        self.clauses += [f"bg({x}, {y})." for x, y in sorted(pairs)]
        self.clauses += [f"thing({x})." for x in words.constants]
        self.clauses += [f"limit({x}, {self.random.randint(1, 6) * words.tick})." for x in words.constants]
        self.dynamic = words.use("dynamic domain", 0.3)
        if self.dynamic:
            entities = ["e1(X)", "e2(X, _)", "e2(_, X)", "n1(X, _)", "jf(X)=_", "pf(X)=_"]
            self.clauses += ["dynamicDomain(seen(_)).", f"collectGrounds([{', '.join(entities)}], seen(X))."]
        self.domain = "seen" if self.dynamic else "thing"

    # -- rules with a time-point -------------------------------------------------------------------------------------

    def _grounding(self, name: str, arity: int, values: list[str]) -> bool:
        """Declare the domain of a fluent, of all its values or of some."""
        r, words = self.random, self.words
        if words.use("fluent without grounding", 0.3):
            return False
        some = values
        if len(values) > 1 and words.use("value without grounding", 0.5):
            some = r.sample(values, len(values) - 1)
        goals = ", ".join(f"{self.domain}({x})" for x in ("X", "Y")[:arity]) or "true"
        self.clauses += [f"grounding({term(name, ['X', 'Y'][:arity])}={value}) :- {goals}." for value in some]
        return True

    def _simple(self, i: int) -> None:
        r, words = self.random, self.words
        name, arity = (f"s{i}", r.choice([0, 1, 1, 2])) if words.chance(0.9) else (f"'S x{i}'", 1)
        words.used["quoted fluent"] += name.startswith("'")
        values = r.choice([["true"], ["true", "false"], ["low", "high", "2"], ["two", "'two words'", "2.0"]])
        if values[0] == "two" and words.use("double-quoted text", 0.7):
            values[0] = '"two"'
        is_grounded = self._grounding(name, arity, values)
        words.ahead = [Fluent(name, arity, tuple(values), "simple")] if arity < 2 else []
        self._effects(name, arity, values, is_grounded=is_grounded)
        words.ahead = []
        if words.use("initially", 0.35):
            self.clauses.append(f"initially({term(name, [words.constant() for _ in range(arity)])}={values[0]}).")
        elif arity and is_grounded and words.use("initially of all", 0.3):
            self.clauses.append(f"initially({term(name, ['_', '_'][:arity])}={values[0]}).")
        if words.chance(0.4):
            self._delays(name, arity, values)
        if arity < 2:
            words.fluents.append(Fluent(name, arity, tuple(values), "simple"))

    def _effects(self, name: str, arity: int, values: list[str], *, is_grounded: bool) -> None:
        r, words = self.random, self.words
        for _ in range(r.randint(1, 3)):
            text, has_y, has_n = body(words)
            arguments = [r.choice(["X", "Y" if has_y else "X", words.constant()]) for _ in range(arity)]
            if arity and is_grounded and words.use("unbound head variable", 0.2):
                arguments[0] = r.choice(["_", "G"])
            if arity and not is_grounded and words.use("nested head", 0.2):
                arguments[0] = f"k({arguments[0]})"
            value = "unheard" if words.use("value outside grounding", 0.2) else r.choice(values)
            if has_n and not is_grounded and words.use("value from data", 0.3):
                value = "N"
            self._effect("initiatedAt", f"{term(name, arguments)}={value}", text)
        for _ in range(r.randint(0, 2)):
            text, has_y, _ = body(words)
            arguments = [r.choice(["X", "Y" if has_y else "X"]) for _ in range(arity)]
            if arity and words.use("open termination", 0.4):
                arguments[-1] = "_"
            self._effect("terminatedAt", f"{term(name, arguments)}={r.choice([*values, '_'])}", text)

    def _effect(self, effect: str, fvp: str, text: str) -> None:
        words = self.words
        if words.use("effect with bounds", 0.1):
            self.clauses.append(f"{effect}({fvp}, T1, T, T2) :- {text}.")
        elif words.use("initiates and terminates", 0.1):
            older = "initiates" if effect == "initiatedAt" else "terminates"
            self.clauses.append(f"{older}(e1(_), {fvp}, T) :- {text}.")
        else:
            self.clauses.append(f"{effect}({fvp}, T) :- {text}.")

    def _delays(self, name: str, arity: int, values: list[str]) -> None:
        r, words = self.random, self.words
        arguments = ["X", "Y"][:arity]
        fluent = term(name, arguments)
        length = str(r.choice([1, 2, 3, 5, 8]) * words.tick)
        goals = ""
        if arity and words.use("delay by fact", 0.3):
            length, goals = "R", " :- limit(X, R)"
        elif arity and words.use("delay with a condition when due", 0.3):
            condition = r.choice(["not happensAt(e1(X), T)", "holdsAt(jf(X)=true, T)", "\\+ holdsAt(pf(X)=_, T)"])
            goals = f" :- {condition}"
        if len(values) > 1 and words.use("fi", 0.5):
            self.clauses.append(f"fi({fluent}={values[0]}, {fluent}={values[1]}, {length}){goals}.")
            if words.use("cycle of delays", 0.4):
                self.clauses.append(f"fi({fluent}={values[1]}, {fluent}={values[0]}, {2 * words.tick}).")
        else:
            words.used["ft"] += 1
            self.clauses.append(f"ft({fluent}={values[0]}, {length}){goals}.")
        if words.use("delay to another fluent", 0.4):
            target, every = (
                term(f"t_{name}" if name[0] == "s" else "t_x", each) for each in (arguments, ["_"] * arity)
            )
            self.clauses.append(f"fi({fluent}={values[0]}, {target}=set, {3 * words.tick}).")
            self.clauses.append(f"terminatedAt({every}=set, T) :- happensAt(e1(_), T).")
        if words.use("postponable", 0.4):
            self.clauses.append(f"p({fluent}={values[0]}).")

    def _value(self, i: int) -> None:
        """A statically determined fluent that has the values of another one."""
        fluent = self.random.choice(["jf", "pf"])
        operation = self.words.pick(
            {
                "value variable and a duration": f"intDurGreater(I1, {2 * self.words.tick}, J)",
                "value variable and a difference": "holdsFor(never(X)=true, I2), relative_complement_all(I1, [I2], J)",
                "value variable and a goal": f"{self.domain}(X), V \\= off, union_all([I1], J)",
            }
        )
        self.clauses.append(f"holdsFor(v{i}(X)=V, J) :- holdsFor({fluent}(X)=V, I1), {operation}.")

    def _given(self, i: int) -> None:
        """Facts that are ground are input."""
        if not self.words.use("given facts"):
            return
        x, tick = self.words.constant(), self.words.tick
        t = self.first + self.random.randint(2, 6) * tick
        self.clauses += [f"happensAt(e1({x}), {t}).", f"holdsFor(gf{i}({x})=true, [({t},{t + 3 * tick})])."]
        self.clauses.append(f"holdsAt(gp{i}({x})=true, {t + tick}).")
        self.words.fluents += [Fluent(f"gf{i}", 1, ("true",), "input"), Fluent(f"gp{i}", 1, ("true",), "input")]

    def _event(self, i: int) -> None:
        text, has_y, _ = body(self.words)
        self.words.used["output event rule"] += 1
        self.clauses.append(f"happensAt(o{i}({'Y' if has_y else 'X'}), T) :- {text}.")
        self.words.outputs.append(f"o{i}")

    def _mixed(self, i: int) -> None:
        """Input values beside simple ones, or simple beside statically determined ones."""
        words = self.words
        text, _, _ = body(words)
        if words.use("input value beside simple values", 0.5):
            self.clauses += [f"collectIntervals(m{i}(_)=given).", f"initiatedAt(m{i}(X)=made, T) :- {text}."]
            words.fluents.append(Fluent(f"m{i}", 1, ("given", "made"), "mixed"))
        else:
            words.used["static value beside simple values"] += 1
            value = "_" if words.use("some value in static", 0.5) else "true"
            self.clauses += [
                f"initiatedAt(m{i}(X)=made, T) :- {text}.",
                f"holdsFor(m{i}(X)=joined, I) :- holdsFor(jf(X)=true, I1), holdsFor(pf(X)={value}, I2), "
                "union_all([I1, I2], I).",
            ]
            words.fluents.append(Fluent(f"m{i}", 1, ("made", "joined"), "mixed"))

    # -- statically determined fluents -------------------------------------------------------------------------------

    def _static(self, i: int) -> None:
        r, words = self.random, self.words
        name = f"d{i}"
        has_grounding = words.chance(0.5)
        if has_grounding:
            words.used["grounded static fluent"] += 1
            self.clauses.append(f"grounding({name}(X)=true) :- {self.domain}(X).")
        for _ in range(r.choice([1, 1, 2])):
            steps, result = self._steps()
            goals = [f"{self.domain}(X)"] if not has_grounding or words.chance(0.2) else []
            if words.chance(0.3):
                choices = {"goal in static": "bg(X, _)", "negated goal in static": "\\+ bg(X, _)"}
                goals.append(words.pick({**choices, "comparison in static": "X > 2"}))
            conditions = list(steps)
            if any("(Y)" in step for step in steps):
                goals.append("bg(X, Y)")
            for goal in goals:
                words.used["goal before or between interval operations"] += 1
                conditions.insert(r.randint(0, len(conditions)), goal)
            if words.use("emptiness test", 0.15):
                conditions += [r.choice([f"\\+ {result}=[]", f"{result} \\= []", "!"])]
            self.clauses.append(f"holdsFor({name}(X)=true, {result}) :- {', '.join(conditions)}.")
        if words.use("empty fall-back", 0.15):
            self.clauses.append(f"holdsFor({name}(_)=true, []).")
        words.fluents.append(Fluent(name, 1, ("true",), "static"))

    def _operand(self, i: int) -> str:
        r, words = self.random, self.words
        fluent = words.fluent()
        who = r.choice(["X", "X", "X", words.constant()])
        if i == 2 and fluent.arity and words.use("second variable in static", 0.15):
            who = "Y"
        value = "_" if words.use("some value in static", 0.3) else r.choice(fluent.values)
        words.used["empty operand"] += fluent.name == "never"
        words.used["simple operand"] += fluent.kind == "simple"
        return f"holdsFor({term(fluent.name, [who] * fluent.arity)}={value}, I{i})"

    def _steps(self) -> tuple[list[str], str]:
        r, words = self.random, self.words
        steps = [self._operand(1), self._operand(2), self._operand(3)]
        n = r.randint(1, 6) * words.tick
        operation = words.pick(
            {
                "union_all": "union_all([I1, I2, I3], J)",
                "intersect_all": "intersect_all([I1, I2], J)",
                "relative_complement_all": "relative_complement_all(I1, [I2, I3], J)",
                "complement_all": "complement_all([I1, I2], J)",
                "allen": f"allen({r.choice([*RELATIONS, *INVERSES])}, I1, I2, {r.choice(MODES)}, J)",
                "allen as a predicate": f"{r.choice(RELATIONS)}(I1, I2, {r.choice(MODES)}, J)",
                "intDurGreater": f"intDurGreater(I1, {n}, J)",
                "intDurLess": f"intDurLess(I1, {n}, J)",
                "duration by fact": "limit(X, D), intDurGreater(I1, D, J)",
                "duration by a constant": "intDurLess(I1, X + 1, J)",
            }
        )
        used = [step for step in steps if step[-3:-1] in operation]
        if not words.chance(0.4):
            return [*used, operation], "J"
        second = words.pick(
            {
                "second complement": "complement_all([J], K)",
                "second intersection": "intersect_all([J, I1], K)",
                "second difference": "relative_complement_all(J, [I1], K)",
                "second duration": f"intDurGreater(J, {n}, K)",
                "second allen": f"allen({r.choice(RELATIONS)}, J, I1, {r.choice(MODES)}, K)",
                "renamed list": "K = J",
            }
        )
        return [*used, *([] if steps[0] in used else steps[:1]), operation, second], "K"


def random_question(seed: int, without: frozenset[str] = frozenset()) -> tuple[Question, Words]:
    """The question of a seed, and the constructs that it uses."""
    return _Generator(seed, without).question()


def windowed_question(seed: int, without: frozenset[str] = frozenset()) -> tuple[Question, Words]:
    """The same question with a window and a step."""
    question, words = random_question(seed, without)
    n_points = (question.end - question.start) // question.tick
    step = words.random.randint(1, n_points)
    if n_points % step and not words.use("end between query times"):
        step = words.random.choice([2, n_points // 2])
    window = step + (words.random.choice([1, 5]) if words.use("windows that overlap", 0.5) else 0)
    return replace(question, window=window * question.tick, step=step * question.tick), words
