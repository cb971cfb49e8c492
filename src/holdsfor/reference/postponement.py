"""Resolve effects that are due at the same time-point and postpone each other.

An effect is postponed if its source is initiated when it is due. Another effect that is due at the same time-point may
make this initiation, and may itself depend on a third. In a cycle, the effect whose FVP comes first in the standard
order of terms takes effect.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from holdsfor.prolog import standard_order_key
from holdsfor.syntax.terms import Term

__all__ = ["PostponableEffect", "resolve_postponements"]

PostponableEffect: TypeAlias = tuple[Term, Term]
"""The source of a postponable effect, and the FVP that it would initiate."""


def resolve_postponements(effects: set[PostponableEffect], initiated: Iterable[Term]) -> list[Term]:
    """The FVPs that the effects initiate which are not postponed, given the other initiations."""
    known = set(initiated)
    acting: list[Term] = []
    left = set(effects)
    while left := {effect for effect in left if effect[0] not in known}:
        free = [each for each in left if not _postponing_effects(each, left)] or [_first_of_a_cycle(left)]
        acting += [fvp for _, fvp in free]
        known.update(acting)
        left -= set(free)
    return acting


def _postponing_effects(effect: PostponableEffect, others: set[PostponableEffect]) -> set[PostponableEffect]:
    """The effects that would postpone an effect; an effect does not postpone itself."""
    return {other for other in others if other[1] == effect[0] and other != effect}


def _first_of_a_cycle(effects: set[PostponableEffect]) -> PostponableEffect:
    """The first effect of a cycle that depends on no effect outside it."""
    behind = {each: _all_postponing_effects(each, effects) for each in effects}
    innermost = [each for each in effects if all(each in behind[other] for other in behind[each])]
    return min(innermost, key=lambda each: (standard_order_key(each[1]), standard_order_key(each[0])))


def _all_postponing_effects(effect: PostponableEffect, others: set[PostponableEffect]) -> set[PostponableEffect]:
    """The effects that would postpone an effect, directly or through others."""
    found: set[PostponableEffect] = set()
    new = _postponing_effects(effect, others)
    while new:
        found |= new
        new = {other for each in new for other in _postponing_effects(each, others)} - found
    return found
