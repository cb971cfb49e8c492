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

__all__ = ["Contender", "contest"]

Contender: TypeAlias = tuple[Term, Term]
"""The source of a postponable effect, and the FVP that it would initiate."""


def contest(contenders: set[Contender], initiated: Iterable[Term]) -> list[Term]:
    """The FVPs that the contenders initiate which are not postponed, given the other initiations."""
    known = set(initiated)
    acting: list[Term] = []
    left = set(contenders)
    while left := {contender for contender in left if contender[0] not in known}:
        free = [each for each in left if not _rivals(each, left)] or [_first_of_a_cycle(left)]
        acting += [fvp for _, fvp in free]
        known.update(acting)
        left -= set(free)
    return acting


def _rivals(contender: Contender, others: set[Contender]) -> set[Contender]:
    """The contenders that would postpone a contender; an effect does not postpone itself."""
    return {other for other in others if other[1] == contender[0] and other != contender}


def _first_of_a_cycle(contenders: set[Contender]) -> Contender:
    """The first contender of a cycle that depends on no contender outside it."""
    behind = {each: _all_rivals(each, contenders) for each in contenders}
    innermost = [each for each in contenders if all(each in behind[other] for other in behind[each])]
    return min(innermost, key=lambda each: (standard_order_key(each[1]), standard_order_key(each[0])))


def _all_rivals(contender: Contender, others: set[Contender]) -> set[Contender]:
    """The rivals, their rivals, and so on."""
    found: set[Contender] = set()
    new = _rivals(contender, others)
    while new:
        found |= new
        new = {rival for each in new for rival in _rivals(each, others)} - found
    return found
