"""Maps between keys: facts of the background knowledge that lead from an argument of a condition to a key.

Every worker has the background knowledge. In `happensAt(sail(V), T), owner(V, O)` the facts of `owner/2` therefore
determine for which `O` a row `sail(v1)` is needed. Several facts in a row are *hops*: from a vessel to its
owner, from the owner to a country. A map may send a row to a key that does not need it, but never the reverse: other
arguments of a fact, and other goals, only restrict the bindings of a rule.

Only predicates that consist of ground facts are maps, directly or as conditions of the only clause of a predicate.
Predicates that start-up goals may change, and dynamic domains, are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.terms import Struct, Term, Var, conjuncts, is_ground, name_and_arity, substitute, variables

__all__ = ["BackgroundMaps", "Hop"]

Key = tuple[str, int]
_MOST_CLAUSES = 16


@dataclass(frozen=True)
class Hop:
    """The facts of a predicate, read from the argument `source` to the argument `target`."""

    name: str
    arity: int
    source: int
    target: int

    def __str__(self) -> str:
        return f"{show_indicator(self.name, self.arity)} from argument {self.source + 1} to {self.target + 1}"


class BackgroundMaps:
    """The predicates of facts, and the clauses of predicates that have only one."""

    def __init__(self, description: EventDescription, *, has_start_up_goals: bool = False) -> None:
        self._tables: set[Key] = set()
        self._only: dict[Key, Clause] = {}
        if has_start_up_goals:
            return
        domains = {name_and_arity(domain) for domain in description.dynamic_domains}
        domains |= {name_and_arity(collected.domain) for collected in description.collected}
        clauses: dict[Key, list[Clause]] = {}
        for item in description.background:
            if isinstance(item, FactTable):
                self._tables.add((item.name, item.arity))
            else:
                clauses.setdefault(name_and_arity(item.head), []).append(item)
        for key, own in clauses.items():
            if all(clause.body is None and is_ground(clause.head) for clause in own):
                self._tables.add(key)
            elif len(own) == 1 and own[0].body is not None and key not in self._tables:
                self._only[key] = own[0]
            else:
                self._tables.discard(key)
        self._tables -= domains
        self._only = {key: clause for key, clause in self._only.items() if key not in domains}

    def route(self, arguments: Sequence[Term], key: Term, goals: Sequence[Term]) -> tuple[int, tuple[Hop, ...]] | None:
        """The argument and the hops by which goals lead to a key, as few as possible; None if they do not."""
        calls = list(self._calls(goals))
        found: dict[Term, tuple[int, tuple[Hop, ...]]] = {}
        for i, argument in enumerate(arguments):
            if isinstance(argument, Var):
                found.setdefault(argument, (i, ()))
        waiting = list(found)
        for here in waiting:
            if here == key:
                return found[here]
            place, hops = found[here]
            for hop, target in _hops(calls, here):
                if target not in found:
                    found[target] = place, (*hops, hop)
                    waiting.append(target)
        return None

    def _calls(self, goals: Sequence[Term]) -> Iterator[Struct]:
        """The calls of tables without which the goals are not true."""
        waiting, names = [goal for each in goals for goal in conjuncts(each)], count()
        n_clauses = 0
        for goal in waiting:
            name = name_and_arity(goal) if isinstance(goal, Struct) else ("", 0)
            if isinstance(goal, Struct) and name in self._tables:
                yield goal
            elif isinstance(goal, Struct) and name in self._only and n_clauses < _MOST_CLAUSES:
                waiting += _unfolded(self._only[name], goal, f"#{next(names)}")
                n_clauses += 1


def _hops(calls: Sequence[Struct], source: Term) -> Iterator[tuple[Hop, Term]]:
    for call in calls:
        places = [i for i, argument in enumerate(call.args) if argument == source]
        for target, term in enumerate(call.args):
            if places and target not in places:
                yield Hop(call.name, len(call.args), places[0], target), term


def _unfolded(clause: Clause, goal: Struct, suffix: str) -> list[Term]:
    """The conditions of a clause for a goal; none if the arguments of the head are not distinct variables."""
    assert isinstance(clause.head, Struct)
    assert clause.body is not None
    heads = clause.head.args
    if len(set(heads)) < len(heads) or not all(isinstance(head, Var) for head in heads):
        return []
    binding: dict[str, Term] = {name: Var(f"{name}{suffix}") for name in variables(clause.body)}
    binding |= {head.name: given for head, given in zip(heads, goal.args, strict=True) if isinstance(head, Var)}
    return conjuncts(substitute(clause.body, binding))
