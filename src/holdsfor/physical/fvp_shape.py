"""The shape of an FVP in a rule: the columns of a fluent's table that are variables, and those that are constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.columns.tables import Key
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Struct, Term, Var, is_ground, name_and_arity

__all__ = ["FvpShape", "distinct_variables", "fvp_patterns", "shape_of"]


def fvp_patterns(fvp: Fvp) -> tuple[Key, tuple[Term, ...]]:
    """The key of a fluent and the patterns of its columns: arguments, then value."""
    arguments = fvp.fluent.args if isinstance(fvp.fluent, Struct) else ()
    return name_and_arity(fvp.fluent), (*arguments, fvp.value)


@dataclass(frozen=True)
class FvpShape:
    """An FVP of a rule as patterns of columns.

    `arguments` are the names of the variables if the arguments are distinct variables; `value` is a value without
    variables.
    """

    key: Key
    patterns: tuple[Term, ...]
    arguments: tuple[str, ...] | None
    value: Term | None

    @property
    def is_plain(self) -> bool:
        """Whether its instances are the instances of the fluent, with one value."""
        return self.arguments is not None and self.value is not None

    @property
    def has_variable_value(self) -> bool:
        """Whether the value is a variable."""
        return isinstance(self.patterns[-1], Var)


def shape_of(fvp: Fvp) -> FvpShape:
    """The shape of an FVP."""
    key, patterns = fvp_patterns(fvp)
    value = patterns[-1] if is_ground(patterns[-1]) else None
    return FvpShape(key, patterns, distinct_variables(patterns[:-1]), value)


def distinct_variables(patterns: Sequence[Term]) -> tuple[str, ...] | None:
    """The names of the patterns, if they are distinct variables."""
    names = tuple(pattern.name for pattern in patterns if isinstance(pattern, Var))
    return names if len(set(names)) == len(patterns) else None
