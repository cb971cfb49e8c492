"""The steps of a compiled body, each linked to the next.

The *registers* of a running body are the next step, the slots of its variables, the height of the choice stack to which
a cut returns, and the frame to continue with afterwards. A *frame* is the registers of a body that waits for one of its
goals, with the total number of frames. Neither is ever changed, so choice points can share them. The machine executes
`Call` and `InlineTest` itself; the other steps are control steps and return the next registers, or None to fail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.prolog.patterns import ArgumentsBuilder, Builder, Slots
from holdsfor.prolog.unify import Ref, Trail, resolve
from holdsfor.syntax.terms import Term, Var, substitute, variables

if TYPE_CHECKING:
    from holdsfor.prolog.machine import Machine

__all__ = [
    "FAIL",
    "HALT",
    "PROCEED",
    "Call",
    "CollectAnswer",
    "Control",
    "Cut",
    "CutTo",
    "Enter",
    "Fork",
    "Frame",
    "Goal",
    "InlineTest",
    "MetaCall",
    "Registers",
    "SoftCut",
    "Step",
]

Frame: TypeAlias = tuple["Goal", Slots, int, Any, int]
Registers: TypeAlias = tuple["Step", Slots, int, Frame]
TestFunction: TypeAlias = Callable[[Slots, Trail], bool]


class Step:
    """One step of a body."""

    __slots__ = ()


class Proceed(Step):
    """The end of a body: continue after the goal that called it."""

    __slots__ = ()


PROCEED = Proceed()


class Halt(Step):
    """The end of a query: a solution."""

    __slots__ = ()


HALT = Halt()


class Goal(Step):
    """A step for a goal of the text."""

    __slots__ = ("goal", "names", "next")

    def __init__(self, goal: Term, names: dict[str, int], next: Step) -> None:  # noqa: A002
        self.goal = goal
        self.names = names
        self.next = next

    def shown_with(self, slots: Slots) -> Term:
        """The goal with the current values of its variables; variables without a value keep their names."""
        values: dict[str, Term] = {}
        for name in variables(self.goal).keys() & self.names.keys():
            value = slots[self.names[name]]
            if value is not None and not isinstance(value := resolve(value, _unnamed), Var):
                values[name] = value
        return substitute(resolve(self.goal, _unnamed), values)


def _unnamed(ref: Ref) -> Var:
    return Var("_")


class Call(Goal):
    """A call of a predicate of the database, a built-in or the library."""

    __slots__ = ("build", "key", "predicate")

    def __init__(
        self,
        goal: Term,
        names: dict[str, int],
        next: Step,  # noqa: A002
        key: tuple[str, int],
        build: ArgumentsBuilder,
        predicate: Any = None,
    ) -> None:
        super().__init__(goal, names, next)
        self.key = key
        self.build = build
        self.predicate = predicate


class InlineTest(Goal):
    """A goal that succeeds or fails once and is evaluated in place, such as `X > 3`."""

    __slots__ = ("holds",)

    def __init__(self, goal: Term, names: dict[str, int], next: Step, holds: TestFunction) -> None:  # noqa: A002
        super().__init__(goal, names, next)
        self.holds = holds


class Control(Step):
    """A step that determines the next step."""

    __slots__ = ()

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        raise NotImplementedError


class Fail(Control):
    __slots__ = ()

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        return None


FAIL = Fail()


class Fork(Control):
    """Take one branch, and the other when it fails. A slot keeps the height of the choice stack for local cuts."""

    __slots__ = ("one", "other", "slot")

    def __init__(self, one: Step, other: Step, slot: int) -> None:
        self.one = one
        self.other = other
        self.slot = slot

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        slots[self.slot] = len(machine.choices)
        machine.push_alternative((self.other, slots, cut, parent))
        return self.one, slots, cut, parent


class Enter(Control):
    """Keep the height of the choice stack in a slot, for local cuts."""

    __slots__ = ("next", "slot")

    def __init__(self, slot: int, next: Step) -> None:  # noqa: A002
        self.slot = slot
        self.next = next

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        slots[self.slot] = len(machine.choices)
        return self.next, slots, cut, parent


class Cut(Control):
    """`!`: drop the choice points created since the clause was called."""

    __slots__ = ("next",)

    def __init__(self, next: Step) -> None:  # noqa: A002
        self.next = next

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        machine.cut_to(cut)
        return self.next, slots, cut, parent


class CutTo(Control):
    """Drop the choice points above the height in a slot, but keep the first `spared` of them."""

    __slots__ = ("next", "slot", "spared")

    def __init__(self, slot: int, next: Step, spared: int = 0) -> None:  # noqa: A002
        self.slot = slot
        self.next = next
        self.spared = spared

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        machine.cut_to(slots[self.slot] + self.spared)
        return self.next, slots, cut, parent


class SoftCut(Control):
    """`*->`: drop the alternative pushed at the height in a slot, keep the choice points above it."""

    __slots__ = ("next", "slot")

    def __init__(self, slot: int, next: Step) -> None:  # noqa: A002
        self.slot = slot
        self.next = next

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        machine.disable_alternative(slots[self.slot])
        return self.next, slots, cut, parent


class CollectAnswer(Control):
    """Add a copy of a term to the list in a slot, then fail to obtain the next answer."""

    __slots__ = ("build", "slot")

    def __init__(self, slot: int, build: Builder) -> None:
        self.slot = slot
        self.build = build

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        slots[self.slot].append(machine.copy(self.build(slots)))
        return None


class MetaCall(Goal, Control):
    """`call/N`: a goal that is known only at run time, with further arguments."""

    __slots__ = ("build",)

    def __init__(self, goal: Term, names: dict[str, int], next: Step, build: ArgumentsBuilder) -> None:  # noqa: A002
        super().__init__(goal, names, next)
        self.build = build

    def step(self, machine: Machine, slots: Slots, cut: int, parent: Frame) -> Registers | None:
        if self.next is not PROCEED:
            parent = machine.push_frame(self, slots, cut, parent)
        return machine.enter_goal(self.build(slots), parent)
