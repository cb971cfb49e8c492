"""The operator table: Prolog's standard operators, `not`, and operators declared by `op/3` directives.

Rules have no postfix operators; other texts may add some.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdsfor.syntax.terms import Atom, Int, Struct, Term, list_items

__all__ = ["Infix", "Operators", "Prefix", "declare_operators"]

InfixType = Literal["xfx", "xfy", "yfx"]
PrefixType = Literal["fx", "fy"]


@dataclass(frozen=True, slots=True)
class Infix:
    priority: int
    type: InfixType

    @property
    def left_max(self) -> int:
        """The highest priority of a left operand."""
        return self.priority if self.type == "yfx" else self.priority - 1

    @property
    def right_max(self) -> int:
        """The highest priority of a right operand."""
        return self.priority if self.type == "xfy" else self.priority - 1


@dataclass(frozen=True, slots=True)
class Prefix:
    priority: int
    type: PrefixType

    @property
    def right_max(self) -> int:
        return self.priority if self.type == "fy" else self.priority - 1


_INFIX: dict[tuple[int, InfixType], str] = {
    (1200, "xfx"): ":- -->",
    (1100, "xfy"): "; |",
    (1050, "xfy"): "-> *->",
    (1000, "xfy"): ",",
    (990, "xfx"): ":=",
    (700, "xfx"): r"< = =.. =@= =:= =< == =\= > >= @< @=< @> @>= \= \== as is",
    (600, "xfy"): ":",
    (500, "yfx"): r"+ - /\ \/ xor",
    (400, "yfx"): "* / // rdiv << >> div rem mod divmod",
    (200, "xfx"): "**",
    (200, "xfy"): "^",
}
_PREFIX: dict[tuple[int, PrefixType], str] = {
    (1200, "fx"): ":- ?-",
    (1150, "fx"): "dynamic discontiguous initialization multifile module_transparent table",
    (900, "fy"): r"\+ not",
    (200, "fy"): r"- + \ ",
}


class Operators:
    """The infix and prefix operators by name.

    >>> Operators().infix["="].priority
    700
    """

    def __init__(self) -> None:
        self.infix: dict[str, Infix] = {
            name: Infix(priority, kind) for (priority, kind), names in _INFIX.items() for name in names.split()
        }
        self.prefix: dict[str, Prefix] = {
            name: Prefix(priority, kind) for (priority, kind), names in _PREFIX.items() for name in names.split()
        }
        self.postfix: set[str] = set()

    def declare(self, priority: int, kind: str, name: str) -> None:
        """Add or, with priority 0, remove an operator."""
        if kind in ("xfx", "xfy", "yfx"):
            self.infix.pop(name, None)
            if priority:
                self.infix[name] = Infix(priority, kind)  # type: ignore[arg-type]
        elif kind in ("fx", "fy"):
            self.prefix.pop(name, None)
            if priority:
                self.prefix[name] = Prefix(priority, kind)  # type: ignore[arg-type]

    def is_operator(self, name: str) -> bool:
        return name in self.infix or name in self.prefix


def declare_operators(goal: Term, operators: Operators) -> None:
    """Execute a directive `op(Priority, Type, Names)`; any other goal changes nothing."""
    if not (isinstance(goal, Struct) and goal.name == "op" and len(goal.args) == 3):
        return
    priority, kind, names = goal.args
    items = list_items(names)[0] or [names]
    if isinstance(priority, Int) and isinstance(kind, Atom) and 0 <= priority.value <= 1200:
        for name in items:
            if isinstance(name, Atom) and name.name not in (",", "|"):
                operators.declare(priority.value, kind.name, name.name)
