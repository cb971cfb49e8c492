"""Effects that are due at once and postpone each other: which of them act.

An effect whose source is initiated when it is due is postponed. The initiation may come from another effect that is due
at the same time-point, and that one may wait for a third. Where this goes round in a circle, the effect whose FVP comes
first in the standard order of terms acts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from holdsfor.prolog import standard_order_key
from holdsfor.syntax.terms import Term

__all__ = ["Contender", "contest"]

Contender: TypeAlias = tuple[Term, Term]
"""The source of a postponable effect, and what it would initiate."""


def contest(contenders: set[Contender], initiated: Iterable[Term]) -> list[Term]:
    """What is initiated by those of the contenders that are not postponed, given what else is initiated."""
    known = set(initiated)
    acting: list[Term] = []
    left = set(contenders)
    while left := {contender for contender in left if contender[0] not in known}:
        free = [each for each in left if not _rivals(each, left)] or [_first_of_a_circle(left)]
        acting += [fvp for _, fvp in free]
        known.update(acting)
        left -= set(free)
    return acting


def _rivals(contender: Contender, others: set[Contender]) -> set[Contender]:
    """The contenders that would postpone one; an effect does not postpone itself."""
    return {other for other in others if other[1] == contender[0] and other != contender}


def _first_of_a_circle(contenders: set[Contender]) -> Contender:
    """The first contender of a circle that waits for nobody outside it."""
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
