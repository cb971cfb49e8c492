"""The order of rules within one time-point."""

from __future__ import annotations

from holdsfor.analysis.levels import Moment, MomentKind
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.pipeline import Compiled
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Term

__all__ = ["MomentRanks"]


class MomentRanks:
    """The moments of an event description, by what happens and by pattern."""

    def __init__(self, compiled: Compiled) -> None:
        self._n = len(compiled.moments)
        ranked = [(moment, i) for i, together in enumerate(compiled.moments) for moment in together]
        kinds: dict[MomentKind, list[tuple[Moment, int]]] = {}
        for moment, i in ranked:
            kinds.setdefault(moment.what, []).append((moment, i))
        self._ranks = {
            what: PatternIndex((moment.vertex.pattern, i) for moment, i in found) for what, found in kinds.items()
        }
        self._postponable = PatternIndex((p.fvp.term, None) for p in compiled.description.postponable)

    def rank(self, what: MomentKind, pattern: Term) -> int:
        """The order within one time-point in which events, initiations or terminations of the pattern are decided."""
        return min(self._matching(what, pattern), default=self._n)

    def may_contend(self, source: Fvp, target: Fvp) -> bool:
        """Whether the initiations of the source and of the target may depend on each other at one time-point."""
        if not self._postponable.has(source.term):
            return False
        sources, targets = self._matching("initiated", source.term), self._matching("initiated", target.term)
        return not set(sources).isdisjoint(targets)

    def _matching(self, what: MomentKind, pattern: Term) -> list[int]:
        return self._ranks[what].matching(pattern) if what in self._ranks else []
