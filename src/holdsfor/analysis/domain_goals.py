"""The members of dynamic domains on which the answers of atemporal goals depend.

A member is an atom `d(X, …)` over the variables of a goal. `role_of(A, voter)` with the clause
`role_of(A, voter) :- person(A), X is A mod 11, X > 0` depends on `person(A)` and implies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import TypeAlias

from holdsfor.analysis.patterns import may_match
from holdsfor.prolog.background import grounding_clauses, has_open_call, inner_calls
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.terms import Atom, Struct, Term, Var, chained, name_and_arity, substitute, variables

__all__ = ["Atoms", "DomainGoals", "fresh_variable", "instantiated"]

Key = tuple[str, int]
Atoms: TypeAlias = frozenset[Term]

_NOTHING: Atoms = frozenset()
_numbers = count()


class DomainGoals:
    """The members that goals need and imply, through the clauses of the background knowledge.

    A variable inside a clause has a new name.
    """

    def __init__(self, description: EventDescription, domains: frozenset[Key]) -> None:
        self.domains = domains
        clauses = [item for item in description.background if isinstance(item, Clause)]
        self._clauses: dict[Key, list[Clause]] = {}
        for clause in (*clauses, *grounding_clauses(description)):
            self._clauses.setdefault(name_and_arity(clause.head), []).append(clause)
        self._tables = {(t.name, t.arity) for t in description.background if isinstance(t, FactTable)}

    def needed(self, goal: Term) -> Iterator[Term]:
        """The members on which the answers of a goal depend."""
        stack: list[tuple[Term, frozenset[Key]]] = [(goal, frozenset())]
        while stack:
            here, above = stack.pop()
            key = None if isinstance(here, Var) else name_and_arity(here)
            if key in self.domains:
                yield here
            elif key in ((",", 2), (";", 2)) and isinstance(here, Struct):
                stack += [(argument, above) for argument in here.args]
            elif key is None or key not in self._clauses or key in above or self._is_impure(key):
                yield from self.every_member(self._reached(here))
            else:
                stack += [(body, above | {key}) for body in self._bodies(here) if body is not None]

    def implied(self, goals: Iterable[Term], above: frozenset[Key] = frozenset()) -> Atoms:
        """The members whose existence follows from a proof of the goals."""
        return _NOTHING.union(*(self._implied_by(goal, above) for goal in goals))

    def _implied_by(self, goal: Term, above: frozenset[Key]) -> Atoms:
        key = None if isinstance(goal, Var) else name_and_arity(goal)
        if key in self.domains:
            return frozenset((goal,))
        if key == (",", 2) and isinstance(goal, Struct):
            return self.implied(chained(goal), above)
        if key is None or key in above or key in self._tables or key not in self._clauses:
            return _NOTHING
        bodies = list(self._bodies(goal))
        parts = [_NOTHING if body is None else self._implied_by(body, above | {key}) for body in bodies]
        return frozenset.intersection(*parts) if parts else _NOTHING

    def every_member(self, domains: Iterable[Key]) -> Iterator[Term]:
        """Atoms that no condition implies."""
        return (Struct(name, tuple(fresh_variable() for _ in range(arity))) for name, arity in domains)

    def _bodies(self, call: Term) -> Iterator[Term | None]:
        """The bodies of the clauses of a call, in terms of its arguments."""
        for clause in self._clauses[name_and_arity(call)]:
            if may_match(clause.head, call):
                yield None if clause.body is None else instantiated(clause.body, clause.head, call)

    def _reached(self, goal: Term) -> set[Key]:
        """The domains that a goal may read, directly or through clauses."""
        found: set[Key] = set()
        seen: set[Key] = set()
        stack = [goal]
        while stack:
            here = stack.pop()
            if has_open_call(here):
                return set(self.domains)
            keys = {name_and_arity(call) for call in inner_calls(here)}
            found |= keys & self.domains
            for key in keys - seen:
                stack += [clause.body for clause in self._clauses.get(key, ()) if clause.body is not None]
            seen |= keys
        return found

    def _is_impure(self, key: Key) -> bool:
        """Whether the answers of a predicate may depend on the order of its proof."""
        bodies = [clause.body for clause in self._clauses[key] if clause.body is not None]
        return any(_has_cut(body) for body in bodies)


def _has_cut(body: Term) -> bool:
    stack = [body]
    while stack:
        here = stack.pop()
        if here == Atom("!"):
            return True
        if isinstance(here, Struct) and here.name in (",", ";", "->", "*->"):
            stack += here.args
    return False


def instantiated(term: Term, pattern: Term, instance: Term) -> Term:
    """A term over the variables of a pattern, in terms of an instance; other variables have new names."""
    binding: dict[str, Term] = {}
    pairs = [(pattern, instance)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, Var):
            binding.setdefault(left.name, right)
        elif isinstance(left, Struct) and isinstance(right, Struct):
            pairs.extend(zip(left.args, right.args, strict=True))
    names = [name for name in variables(term) if name not in binding]
    return substitute(term, {**binding, **{name: fresh_variable() for name in names}})


def fresh_variable() -> Var:
    return Var(f"_#member{next(_numbers)}")
