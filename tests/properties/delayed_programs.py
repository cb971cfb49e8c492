"""Random programs with delayed effects and cycles, besides everything the other programs use.

A few simple fluents are declared first, so that every rule may test whether any of them holds, its own included.
Conditions that do not advance time (`start`, `end`, `initiatedAt`, `terminatedAt`, output events) use earlier fluents,
or sometimes the rule's own; a program with a cycle that does not advance time is discarded. Few entities, few
time-points and records that repeat after a delay make ties at deadlines frequent.
"""

from __future__ import annotations

from holdsfor.errors import HoldsforError
from tests.properties.bodies import Body, Fluent, term
from tests.properties.compiling import compiled_once
from tests.properties.programs import Case, Generator

__all__ = ["DELAY_CONSTRUCTS", "delayed_case"]

_DELAYS = """
fi to another value, fi to another fluent, fi to another entity, fi to a value that data may have, ft
fi along a table of values, cycle of values, fork, delay of any value, delay of a constant
delay of one time-point, short delay, long delay, delay by fact, delay by value, delay by arithmetic, delays by facts
condition when due, several conditions when due, binding from set-up
postponable, postponable by fact, postponable for any value
own fluent in body, plain initiation, fluents with initially, static, event, again at the deadline, refused
"""
DELAY_CONSTRUCTS: frozenset[str] = frozenset(
    name for line in _DELAYS.split("\n") for name in line.split(", ") if name
) | frozenset(["output event", "start", "end", "initiatedAt trigger", "terminatedAt trigger", "open termination"])
"""The constructs with delays and cycles that are counted when they are used, and the kinds of edges in cycles."""

_VALUES = [("on", "off"), ("low", "mid", "high"), ("true",)]
_SHORT = [1, 1, 2, 2, 3, 4, 5, 7]


class DelayedGenerator(Generator):
    """Writes one case with delays. A cycle may change at every time-point, so runs are shorter."""

    LONG_RUN = 300

    def __init__(self, seed: int, without: frozenset[str]) -> None:
        super().__init__(seed, without)
        self.vocabulary.constants = ["a", "b", "1", "k(a)"]
        self.lengths: list[int] = []
        self.n_points = 0

    def background(self) -> None:
        super().background()
        values = [value for some in _VALUES for value in some]
        self.clauses += [f"follows({value}, {self.random.choice(values)})." for value in self.random.sample(values, 4)]
        for value in self.random.sample(values, 4):
            self.clauses.append(f"lasts({value}, {self.length()}).")

    def rules(self, n_points: int) -> None:
        self.n_points = n_points
        names = [f"s{i}" for i in range(self.random.choice([1, 2, 2, 3]))]
        planned = [Fluent(name, self.arity(), self.random.choice(_VALUES), "simple") for name in names]
        self.vocabulary.ahead = planned
        for i, fluent in enumerate(planned):
            self.vocabulary.ahead = planned[i:]
            self.fluent(fluent)
            if self.vocabulary.maybe("event", 0.3):
                self.event(i)
        self.vocabulary.ahead = []
        for fluent in planned:
            self.delays(fluent, planned)
        if self.vocabulary.maybe("static", 0.2):
            self.static(len(planned))

    def arity(self) -> int:
        return self.random.choice([0, 1, 1, 1, 2])

    def fluent(self, fluent: Fluent) -> None:
        """Rules for one of the fluents; some depend on the fluent itself at the same time-point."""
        known = self.vocabulary.fluents
        if self.vocabulary.maybe("own fluent in body", 0.15):
            self.vocabulary.fluents = [*known, fluent]
        self.effects(fluent.name, fluent.arity, list(fluent.values))
        if self.vocabulary.maybe("plain initiation", 0.6):
            event, arguments = [("e0", []), ("e1", ["X"]), ("e2", ["X", "Y"])][fluent.arity]
            fvp = f"{term(fluent.name, arguments)}={self.random.choice(fluent.values)}"
            self.clauses.append(f"initiatedAt({fvp}, T) :- happensAt({term(event, arguments)}, T).")
        if self.random.random() < 0.4:
            self.vocabulary.used["fluents with initially"] += 1
            self.initially(fluent.name, fluent.arity, list(fluent.values))
        self.vocabulary.fluents = [*known, fluent]

    # -- delays --------------------------------------------------------------------------------------------------------

    def delays(self, fluent: Fluent, planned: list[Fluent]) -> None:
        """One or several delayed effects of a fluent's values."""
        vocabulary = self.vocabulary
        if len(fluent.values) > 1 and vocabulary.maybe("cycle of values", 0.25):
            for value, following in zip(fluent.values, [*fluent.values[1:], fluent.values[0]], strict=True):
                self.delay(fluent, value, fluent, following)
        for _ in range(self.random.choice([1, 1, 2])):
            value = self.random.choice(fluent.values)
            self.any_delay(fluent, value, planned)
            if vocabulary.maybe("fork", 0.3):
                self.any_delay(fluent, value, planned)
        self.postponable(fluent)

    def any_delay(self, fluent: Fluent, value: str, planned: list[Fluent]) -> None:
        vocabulary = self.vocabulary
        others = [each for each in planned if each.name != fluent.name]
        kinds = ["fi to another value", "fi along a table of values", "ft", "ft"]
        kinds += ["fi to another fluent"] * 2 if others else []
        kinds += ["fi to another entity"] if fluent.arity else []
        kind = vocabulary.pick(kinds)
        vocabulary.used[kind] += 1
        match kind:
            case "ft":
                self.delay(fluent, value, None, value)
            case "fi to another value":
                target = self.random.choice([each for each in (*fluent.values, "new") if each != value])
                vocabulary.used["fi to a value that data may have"] += target == "new"
                self.delay(fluent, value, fluent, target)
            case "fi along a table of values":
                self.delay(fluent, "V", fluent, "W")
            case "fi to another entity":
                self.delay(fluent, value, fluent, self.random.choice(fluent.values), to_another_entity=True)
            case _:
                other = self.random.choice(others)
                self.delay(fluent, value, other, self.random.choice(other.values))

    def delay(
        self, source: Fluent, value: str, target: Fluent | None, result: str, *, to_another_entity: bool = False
    ) -> None:
        """One declaration, with a length, a body that computes it, and conditions for the due time."""
        vocabulary = self.vocabulary
        body = Body(vocabulary, self.tick)
        arguments = ["X", "Y"][: source.arity]
        if arguments and vocabulary.maybe("delay of a constant", 0.1):
            arguments[0] = vocabulary.constant()
        body.things = [name for name in arguments if name in ("X", "Y")]
        if result == "W":
            body.conditions.append("follows(V, W)")
        elif target is not source and vocabulary.maybe("delay of any value", 0.1):
            value = "V"
        length = self.delay_length(body, value)
        others = [self.random.choice(arguments or ["a"]) for _ in range(target.arity)] if target else []
        if target is source and not to_another_entity:
            others = list(arguments)
        if to_another_entity:
            body.conditions.append(f"bg({arguments[0]}, O)")
            others[0] = "O"
        self.conditions_when_due(body)
        tail = f" :- {body.text}." if body.conditions else "."
        fvp = f"{term(source.name, arguments)}={value}"
        if target is None:
            self.clauses.append(f"ft({fvp}, {length}){tail}")
        else:
            self.clauses.append(f"fi({fvp}, {term(target.name, others)}={result}, {length}){tail}")

    def length(self) -> int:
        """A delay, with its kind counted."""
        if self.vocabulary.maybe("long delay", 0.15):
            n = max(10, self.n_points // self.random.choice([2, 3, 4]))
        else:
            n = self.random.choice(_SHORT)
            self.vocabulary.used["delay of one time-point" if n == 1 else "short delay"] += 1
        self.lengths.append(n * self.tick)
        return n * self.tick

    def delay_length(self, body: Body, value: str) -> str:
        """The text of a delay; the goal that computes it is added to the body."""
        vocabulary = self.vocabulary
        if value == "V" and vocabulary.maybe("delay by value", 0.4):
            body.conditions.append("lasts(V, R)")
        elif body.things and vocabulary.maybe("delay by fact", 0.15):
            body.conditions.append(f"limit({body.things[0]}, R)")
        elif body.things and vocabulary.maybe("delays by facts", 0.1):
            body.conditions += [f"bg({body.things[0]}, B)", "limit(B, R)"]
            body.things.append("B")
        elif body.things and vocabulary.maybe("delay by arithmetic", 0.1):
            body.conditions += [f"limit({body.things[0]}, D)", f"R is D * 2 - {self.tick}"]
        else:
            return str(self.length())
        return "R"

    def conditions_when_due(self, body: Body) -> None:
        n = self.random.choice([0, 0, 0, 1, 1, 2])
        if n and body.things and self.vocabulary.maybe("binding from set-up", 0.25):
            body.conditions.append(f"bg({body.things[0]}, S)")
            body.things.append("S")
        for _ in range(n):
            body.conditions.append(body.condition())
        if n and "At(" not in body.text:
            body.conditions.append(self.random.choice(["happensAt(e0, T)", "not happensAt(e0, T)"]))
        self.vocabulary.used["condition when due"] += n > 0
        self.vocabulary.used["several conditions when due"] += n > 1

    def postponable(self, fluent: Fluent) -> None:
        vocabulary = self.vocabulary
        arguments = ["X", "Y"][: fluent.arity]
        if vocabulary.maybe("postponable for any value", 0.1):
            self.clauses.append(f"p({term(fluent.name, arguments)}=_).")
        for value in fluent.values:
            fvp = f"{term(fluent.name, arguments)}={value}"
            if arguments and vocabulary.maybe("postponable by fact", 0.15):
                self.clauses.append(f"p({fvp}) :- bg(X, _).")
            elif vocabulary.maybe("postponable", 0.3):
                self.clauses.append(f"p({fvp}).")

    def has_own_values(self, fluent: Fluent) -> bool:
        delays = [
            clause for clause in self.clauses if clause.startswith(("fi(", "ft(", "p(")) and fluent.name in clause
        ]
        return not any("=V, " in clause or "=W, " in clause for clause in delays) and super().has_own_values(fluent)

    # -- records -------------------------------------------------------------------------------------------------------

    def records(self, start: int, end: int) -> list[tuple[int, str]]:
        """Records of which some happen again exactly when an effect of the first is due."""
        records = super().records(start, end)
        events = [(time, text) for time, text in records if text.startswith(("e", "n"))]
        lengths = [length for length in self.lengths if length < end - start] or [self.tick]
        for time, text in self.random.sample(events, len(events) // 3):
            self.vocabulary.used["again at the deadline"] += 1
            name, *_, arguments = (*text.split("|", 3), "")[:4]
            later = time + self.random.choice(lengths)
            tail = f"|{arguments}" if arguments else ""
            records.append((later, f"{name}|{later}|{later}{tail}"))
        return records


def _is_refused(case: Case) -> bool:
    """Whether the compiler finds a cycle that does not advance time."""
    try:
        compiled_once(case.text)
    except HoldsforError as problem:
        codes = {diagnostic.code for diagnostic in problem.diagnostics.in_order() if diagnostic.severity == "error"}
        if codes <= {"HF211", "HF212"}:
            return True
        raise
    return False


def delayed_case(seed: int, without: frozenset[str] = frozenset()) -> Case:
    """The case of a seed: the first that has a meaning."""
    n_refused = 0
    while True:
        case = DelayedGenerator(seed * 1_000 + n_refused, without).case()
        if not _is_refused(case):
            case.used["refused"] += n_refused
            return case
        n_refused += 1
