"""The model of a program: all true facts, found by brute force over time-points.

A sweep visits the time-points in order. At each it applies all rules until no new fact follows there, then computes the
FVPs that hold next. After a sweep, the statically determined fluents are computed from its facts. Sweeps are repeated
until one changes nothing. Every cycle advances time and no cycle contains a statically determined fluent, so there is
one such state, and no order of evaluation is needed to find it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf

from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Int, Struct, Term, Var
from tests.oracle.conditions import Ranges, Solver
from tests.oracle.delays import Delays
from tests.oracle.description import Description, PointRule
from tests.oracle.domains import Domains, fluent_of
from tests.oracle.intervals import Interval, Line
from tests.oracle.records import Piece
from tests.oracle.static import StaticFluents
from tests.oracle.terms import Binding, Refused, in_order, key_of, names_in, rename, resolve, unify

__all__ = ["Model", "Moment"]

MAX_ROUNDS = 60


@dataclass
class Moment:
    """The facts at one time-point."""

    events: set[Term] = field(default_factory=set)
    outputs: set[Term] = field(default_factory=set)
    holds: set[Term] = field(default_factory=set)
    initiated: set[Term] = field(default_factory=set)
    terminated: set[Term] = field(default_factory=set)

    def breaks(self, fvp: Term) -> bool:
        """Whether a ground FVP is terminated, or another value of its fluent initiated."""
        assert isinstance(fvp, Struct)
        if any(unify(fvp, rename(pattern, "~t"), {}) is not None for pattern in self.terminated):
            return True
        return any(fluent_of(other) == fvp.args[0] and other != fvp for other in self.initiated)

    def effects(self) -> tuple[frozenset[Term], frozenset[Term], frozenset[Term]]:
        return frozenset(self.outputs), frozenset(self.initiated), frozenset(self.terminated)


class Model:
    def __init__(
        self, description: Description, domains: Domains, pieces: list[Piece], line: Line, memory: int | None
    ) -> None:
        self.description, self.domains, self.line = description, domains, line
        self.background = description.background
        self.moments = {t: Moment() for t in line.all}
        self.input: dict[Term, list[Interval]] = {}
        self._read(pieces)
        self.delays = Delays(self)
        self.static = StaticFluents(self, memory)
        self._begin()
        self._settle()

    # -- input -------------------------------------------------------------------------------------------------------

    def _read(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            if piece.value is None and piece.start in self.moments and piece.start <= self.line.last:
                self.moments[piece.start].events.add(piece.entity)
        fluents: dict[Term, list[Piece]] = {}
        for piece in pieces:
            if piece.value is not None and piece.start <= self.line.last:
                fluents.setdefault(Struct("=", (piece.entity, piece.value)), []).append(piece)
        for fvp, parts in fluents.items():
            found = self._joined(parts)
            # A fluent given by points has not ended at the last time-point: the next point may still arrive.
            is_open = self.description.shape(key_of(parts[0].entity)[0]) == "points"
            self.input[fvp] = [
                run._replace(end=inf) if is_open and run.end == self.line.beyond else run for run in found
            ]

    def _joined(self, parts: list[Piece]) -> list[Interval]:
        """Touching and overlapping records of an input fluent are one maximal interval."""
        intervals = [Interval(part.start, part.end, part.origin) for part in parts]
        found = self.line.maximal(self.line.covered(intervals))
        origins = {run: [i.origin for i in intervals if i.start <= run.start < i.end] for run in found}
        origin = {run: min([run.start, *origins[run]]) for run in found}
        return [run._replace(origin=origin[run], is_cut=origin[run] < run.start) for run in found]

    def _begin(self) -> None:
        """The FVPs that hold from the first time-point."""
        for head, bodies in self.description.initially:
            clause = next(c for c in self.description.clauses if isinstance(c.head, Struct) and head in c.head.args)
            self.moments[self.line.first].holds |= set(self._initial(head, bodies, clause))
        self.initial = frozenset(self.moments[self.line.first].holds)

    def _initial(self, head: Term, bodies: list[list[Term]], clause: Clause) -> Iterator[Term]:
        for body in bodies:
            found = Solver(self.background).solve(body, {}, self._ranges(head, clause))
            yield from (fvp for one in found if self.domains.allows(fvp := resolve(head, one)))

    def _ranges(self, head: Term, clause: Clause) -> Ranges:
        return self.domains.ranges(head, (clause.head, clause.body))  # type: ignore[arg-type]

    # -- sweeps ------------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        for _ in range(MAX_ROUNDS):
            before = self._state()
            for t in self.line.points:
                self._apply(t)
                self._advance(t)
            self.static.evaluate()
            if self._state() == before:
                return
        raise Refused("sweeps do not settle")

    def _state(self) -> object:
        moments = {t: (frozenset(m.holds), *m.effects()) for t, m in self.moments.items()}
        return moments, {fvp: tuple(found) for fvp, found in self.static.found.items()}

    def _apply(self, t: int) -> None:
        """Apply all rules at a time-point until nothing new follows there."""
        moment = self.moments[t]
        for _ in range(MAX_ROUNDS):
            before = moment.effects()
            outputs, initiated, terminated = self._consequences(t)
            moment.outputs, moment.initiated, moment.terminated = outputs, initiated, terminated
            if moment.effects() == before:
                return
        raise Refused(f"a cycle does not advance time at {t}")

    def _consequences(self, t: int) -> tuple[set[Term], set[Term], set[Term]]:
        outputs: set[Term] = set()
        initiated, terminated = self.delays.due(t, At(self, t))
        target = {"happensAt": outputs, "initiatedAt": initiated, "terminatedAt": terminated}
        for rule in self.description.points:
            target[rule.effect].update(self._heads(rule, t))
        return outputs, {fvp for fvp in initiated if self.domains.allows_some_value(fvp)}, terminated

    def _heads(self, rule: PointRule, t: int) -> Iterator[Term]:
        binding = unify(rule.time, Int(t), {})
        if binding is None:
            return
        solver = Solver(self.background, At(self, t))
        for body in rule.bodies:
            for found in solver.solve(body, binding, self._open(rule, t)):
                head = resolve(rule.head, found)
                if rule.effect != "happensAt" or self.domains.allows(head):
                    yield head

    def _open(self, rule: PointRule, t: int) -> Ranges:
        """An unbound variable of a head ranges over its domain; without one, a termination affects every match."""
        ranges = self._ranges(rule.head, rule.text)
        if rule.effect != "terminatedAt":
            return ranges
        if self.domains.has_grounding(rule.head):
            fluent = self._ranges(fluent_of(rule.head), rule.text)
            return Ranges(ranges.names, ranges.one, fluent.rest)
        moment = self.moments[t]

        def one(name: str, binding: Binding) -> list[Binding]:
            found = {resolve(Var(name), each): each for each in ranges.one(name, binding)}
            for fvp in (*moment.holds, *moment.initiated):
                matched = unify(rule.head, fvp, binding)
                if matched is not None:
                    value = resolve(Var(name), matched)
                    found.setdefault(value, {**binding, name: value})
            return list(found.values())

        asked = names_in(*(goal for body in rule.bodies for goal in body))

        def rest(binding: Binding) -> list[Binding]:
            name = next((name for name in in_order(resolve(rule.head, binding)) if name in asked), None)
            return [binding] if name is None else [each for given in one(name, binding) for each in rest(given)]

        return Ranges(ranges.names, one, rest)

    def _advance(self, t: int) -> None:
        moment = self.moments[t]
        candidates = moment.holds | {fvp for fvp in moment.initiated if self.domains.allows(fvp)}
        self.moments[self.line.next(t)].holds = {fvp for fvp in candidates if not moment.breaks(fvp)}

    # -- facts -------------------------------------------------------------------------------------------------------

    def intervals(self, fvp: Term) -> list[Interval]:
        """The maximal intervals of an FVP."""
        simple = self.line.maximal(t for t in self.line.all if fvp in self.moments[t].holds)
        both = [known for known in (self.static.found.get(fvp, []), self.input.get(fvp, []), simple) if known]
        return both[0] if len(both) == 1 else self.line.union(both)

    def simple_fvps(self) -> set[Term]:
        return set().union(*(moment.holds for moment in self.moments.values()))

    def fvps(self, fluent: Term) -> set[Term]:
        """The FVPs of a fluent that occur in any fact."""
        key = key_of(fluent)
        known = {*self.static.found, *self.input, *self.simple_fvps()}
        return {fvp for fvp in known if key_of(fluent_of(fvp)) == key}

    def possible(self, fluent: Term) -> set[Term]:
        """The FVPs of a fluent that rules, records or domains mention; terminations may leave places open."""
        key = key_of(fluent)
        known = set(self.domains.universe(fluent)) | self.fvps(fluent)
        effects = {fvp for moment in self.moments.values() for fvp in (*moment.initiated, *moment.terminated)}
        return known | {fvp for fvp in effects if key_of(fluent_of(fvp)) == key}


class At:
    """The facts at one time-point, for the conditions of rules."""

    def __init__(self, model: Model, t: int) -> None:
        self.model, self.t = model, t
        self.moment = model.moments[t]

    def candidates(self, predicate: str, what: Term) -> Iterable[Term]:
        if predicate == "happensAt":
            if isinstance(what, Struct) and what.name in ("start", "end", "startI", "endI") and len(what.args) == 1:
                return self._edges(what)
            return [*self.moment.events, *self.moment.outputs]
        if isinstance(what, Var):
            raise Refused("a condition about any fluent")
        if predicate == "holdsAt":
            return self._holding(what)
        if predicate == "initiatedAt":
            return list(self.moment.initiated)
        return self._broken(what)

    def _holding(self, what: Term) -> list[Term]:
        fluent = fluent_of(what)
        static = [
            fvp
            for source in (self.model.static.found, self.model.input)
            for fvp, intervals in source.items()
            if key_of(fluent_of(fvp)) == key_of(fluent) and any(i.start <= self.t < i.end for i in intervals)
        ]
        return [*dict.fromkeys([*(fvp for fvp in self.moment.holds), *static])]

    def _broken(self, what: Term) -> list[Term]:
        """The FVPs that are broken: whether they hold or not, of all that there may be."""
        assert isinstance(what, Struct)
        fluent, value = what.args
        known = self.model.possible(fluent)
        fluents = {one for fvp in known if unify(fluent, one := fluent_of(fvp), {}) is not None and not names_in(one)}
        values = {fvp.args[1] for fvp in known if isinstance(fvp, Struct) and not names_in(fvp.args[1])}
        values |= self.model.domains.sorts.at((*key_of(fluent), "value"))
        if not names_in(fluent):
            fluents.add(fluent)
        if not names_in(value):
            values = {value}
        possible: list[Term] = [Struct("=", (one, value)) for one in fluents for value in values]
        return [fvp for fvp in possible if fvp not in self.model.input and self.moment.breaks(fvp)]

    def _edges(self, what: Struct) -> list[Term]:
        key = key_of(fluent_of(what.args[0]))
        before = self.model.moments.get(self.t - self.model.line.tick, self.moment)
        known = {*self.moment.holds, *self.moment.initiated, *before.holds, *self.model.static.found, *self.model.input}
        found = [fvp for fvp in known if key_of(fluent_of(fvp)) == key and self._has_edge(what.name, fvp)]
        return [Struct(what.name, (fvp,)) for fvp in found]

    def _has_edge(self, edge: str, fvp: Term) -> bool:
        if fvp not in self.model.static.found and fvp not in self.model.input and edge in ("start", "end"):
            return self._effect(edge, fvp)
        intervals = self.model.intervals(fvp)
        line = self.model.line
        match edge:
            case "start":
                return any(line.prev(i.start) == self.t and not i.is_cut for i in intervals)
            case "end":
                return any(i.end != inf and line.prev(int(i.end)) == self.t for i in intervals)
            case "startI":
                return any(i.start == self.t and self._begins(i, fvp) for i in intervals)
            case _:
                return any(i.end == self.t for i in intervals)

    def _begins(self, interval: Interval, fvp: Term) -> bool:
        """Whether the start of an interval is its true start: not cut, and not an initial state."""
        is_initial = interval.start == self.model.line.first and fvp in self.model.initial
        return not interval.is_cut and not is_initial

    def _effect(self, edge: str, fvp: Term) -> bool:
        """The initiating or breaking time-point of a simple FVP."""
        holds = fvp in self.moment.holds
        if edge == "end":
            return holds and self.moment.breaks(fvp)
        is_begun = fvp in self.moment.initiated and not self.moment.breaks(fvp)
        return not holds and is_begun and self.model.domains.allows(fvp)
