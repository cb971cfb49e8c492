"""Delayed effects that are not due yet.

An initiation of F=V sets up the effects of its `fi` and `ft` declarations. A break of F=V before an effect is due
cancels the effect. A re-initiation changes nothing, unless F=V is postponable: then it postpones the effect. An
initiation without effect, because of a break at the same time-point, sets the effects up too; the next initiation is
then not a re-initiation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from holdsfor.analysis.dependencies import effective_delays
from holdsfor.analysis.patterns import may_match
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog import Engine
from holdsfor.reference.conditions import Conditions
from holdsfor.reference.matching import Binding, match
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Condition, Test
from holdsfor.syntax.terms import Int, Struct, Term, name_and_arity, substitute

__all__ = ["Pending", "PendingEffects"]

Identity: TypeAlias = tuple[int, Term, int, tuple[tuple[str, Term], ...]]


@dataclass
class Pending:
    """A pending effect: `effect` is initiated (`fi`) or terminated (`ft`) at `due`."""

    declaration: int
    source: Term
    kind: str
    effect: Term
    delay: int
    set_up_at: int
    is_postponable: bool
    binding: Binding
    conditions: Conditions

    @property
    def identity(self) -> Identity:
        """The key under which a later initiation postpones the effect: the same declaration with the same bindings."""
        return self.declaration, self.source, self.delay, tuple(sorted(self.binding.items()))

    @property
    def due(self) -> int:
        return self.set_up_at + self.delay

    @property
    def fluent(self) -> tuple[str, int]:
        """The name and arity of the fluent that the effect would change."""
        assert isinstance(self.effect, Struct)
        return name_and_arity(self.effect.args[0])


class _AtemporalView:
    """The view of atemporal conditions, without events and FVPs."""

    time = 0

    def nothing(self, pattern: Term | None = None) -> Iterable[Term]:
        return ()

    events = started = ended = begun = over = holding = initiated = broken = nothing

    def ranging(self, head: Term, name: str, binding: Binding) -> Iterable[Binding]:
        return ()


class PendingEffects:
    """The effects that are not due yet."""

    def __init__(self, description: EventDescription, engine: Engine, tick: int) -> None:
        self.description = description
        self.engine = engine
        self.tick = tick
        self.waiting: list[Pending] = []
        self.running: set[Term] = set()

    def next_due(self) -> int | None:
        return min((effect.due for effect in self.waiting), default=None)

    def after(self, time: int) -> list[tuple[tuple[str, int], int]]:
        """The fluents and due times of the effects after a time-point: one for each declaration, source and time.

        An effect that a shorter delay cancels in any case is left out.
        """
        delays, effective = self.description.delays, effective_delays(self.description)
        chosen = (each for each in self.waiting if each.due > time and delays[each.declaration] in effective)
        distinct = {(each.declaration, each.source, each.due): each for each in chosen}
        return [(each.fluent, each.due) for each in distinct.values()]

    def due(self, time: int, kind: str, pattern: Term) -> list[Pending]:
        """The effects of one kind on a pattern that are due."""
        return [e for e in self.waiting if e.due == time and e.kind == kind and may_match(e.effect, pattern)]

    def settle(self, time: int, is_broken: Callable[[Term], bool]) -> None:
        """Remove effects that are due or postponed now, and effects that a break of their source cancels."""
        self.waiting = [effect for effect in self.waiting if effect.due > time and not is_broken(effect.source)]
        self.running = {source for source in self.running if not is_broken(source)}

    def set_up(self, fvp: Term, time: int, *, is_broken: bool) -> None:
        """Set up the effects of an initiation at `time`, or postpone them."""
        effects = list(self.effects_of(fvp, time))
        for effect in effects:
            if effect.is_postponable:
                self.waiting = [each for each in self.waiting if each.identity != effect.identity]
            if effect.is_postponable or fvp not in self.running:
                self.waiting.append(effect)
        if effects and not is_broken:
            self.running.add(fvp)

    def effects_of(self, fvp: Term, time: int) -> Iterator[Pending]:
        for number, delay in enumerate(self.description.delays):
            binding = match(delay.source.term, fvp, {})
            if binding is None:
                continue
            for answer in self.answers(list(delay.tests_at_set_up), binding):
                yield self.pending(fvp, number, answer, time)

    def answers(self, tests: list[Test], binding: Binding) -> Iterator[Binding]:
        """The bindings that satisfy the atemporal conditions of a declaration."""
        conditions = Conditions(Int(0), None, tuple(tests), self.engine)
        return conditions.solutions(_AtemporalView(), binding)

    def pending(self, fvp: Term, number: int, binding: Binding, time: int) -> Pending:
        delay = self.description.delays[number]
        length = substitute(delay.delay, binding)
        if not isinstance(length, Int) or length.value <= 0:
            message = f"the delay of `{show(fvp)}` is `{show(length)}`, expected a positive integer"
            raise ExecutionProblem(Diagnostic("HF608", message, delay.span, "check the conditions that compute it"))
        if length.value % self.tick:
            message = f"the delay of `{show(fvp)}` is {length.value}, expected a multiple of the clock tick {self.tick}"
            raise ExecutionProblem(Diagnostic("HF608", message, delay.span, "effects are due at time-points"))
        target = delay.source if delay.target is None else delay.target
        return Pending(
            declaration=number,
            source=fvp,
            kind="terminatedAt" if delay.target is None else "initiatedAt",
            effect=substitute(target.term, binding),
            delay=length.value,
            set_up_at=time,
            is_postponable=any(self.postpones(p.fvp.term, p.body, fvp) for p in self.description.postponable),
            binding=binding,
            conditions=Conditions(target.term, delay.time, delay.conditions_when_due, self.engine),
        )

    def postpones(self, pattern: Term, body: tuple[Condition, ...], fvp: Term) -> bool:
        binding = match(pattern, fvp, {})
        tests = [condition for condition in body if isinstance(condition, Test)]
        return binding is not None and next(self.answers(tests, binding), None) is not None
