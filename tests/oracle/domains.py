"""Domains: groundings, dynamic domains, and the sorts of variables without a grounding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from holdsfor.syntax.terms import Struct, Term, Var
from tests.oracle.conditions import Ranges, Solver
from tests.oracle.description import Description
from tests.oracle.records import Record
from tests.oracle.terms import Binding, free_names, in_order, key_of, names_in, rename, resolve, unify

__all__ = ["Domains"]

_TRANSPARENT = frozenset([",", ";", "->", "\\+", "not", "forall", "findall", "aggregate_all"])
_TRANSPARENT |= {"start", "end", "startI", "endI", "initially", "grounding", "p", "ft", "fi", "dynamicDomain"}
_COMPARISONS = frozenset(["<", ">", "=<", ">=", "=:=", "=\\=", "is", "\\=", "==", "\\==", "length"])


def fluent_of(entity: Term) -> Term:
    """The fluent of an FVP; an event is itself."""
    return entity.args[0] if isinstance(entity, Struct) and entity.name == "=" and len(entity.args) == 2 else entity


class Domains:
    """The possible FVPs."""

    def __init__(self, description: Description, records: Iterable[Record]) -> None:
        self.description = description
        self._declared = description.groundings
        self.records = list(records)
        self.sorts = Sorts(description, self.records)
        self._fill_dynamic()
        self.solver = Solver(description.background)
        self._grounded: dict[tuple[str, int], list[Term]] = {}
        self._known: dict[Term, bool] = {}
        self._universe: dict[tuple[str, int], list[Term]] = {}

    # -- groundings --------------------------------------------------------------------------------------------------

    def has_grounding(self, entity: Term) -> bool:
        key = key_of(fluent_of(entity))
        return any(key_of(fluent_of(head)) == key for head, _, _ in self._declared)

    def _has_values(self, fluent: Term) -> bool:
        key = key_of(fluent)
        return any(key_of(fluent_of(head)) == key and fluent_of(head) is not head for head, _, _ in self._declared)

    def allows(self, fvp: Term) -> bool:
        """Whether a ground FVP is inside its grounding, or its fluent has none."""
        if fvp not in self._known:
            self._known[fvp] = not self.has_grounding(fvp) or any(True for _ in self._proofs(fvp))
        return self._known[fvp]

    def allows_some_value(self, fvp: Term) -> bool:
        """Whether the fluent of a ground FVP is inside the grounding of some value."""
        fluent = fluent_of(fvp)
        return (
            not self.has_grounding(fvp)
            or self.allows(fvp)
            or any(unify(fluent, fluent_of(one), {}) is not None for one in self.grounded(fluent))
        )

    def _proofs(self, entity: Term) -> Iterator[Term]:
        for head, bodies, _ in self._declared:
            if key_of(fluent_of(head)) != key_of(fluent_of(entity)):
                continue
            for body in bodies:
                binding = unify(entity, rename(head, "~g"), {})
                if binding is None:
                    continue
                for found in self.solver.solve([rename(goal, "~g") for goal in body], binding):
                    yield resolve(entity, found)

    def grounded(self, fluent: Term) -> list[Term]:
        """The grounded FVPs of a fluent, for all values."""
        key = key_of(fluent)
        if key not in self._grounded:
            arguments = tuple(Var(f"A{i}~") for i in range(key[1]))
            pattern = Struct(key[0], arguments) if arguments else fluent
            proofs = dict.fromkeys(self._proofs(Struct("=", (pattern, Var("V~")))))
            self._grounded[key] = list(proofs)
        return self._grounded[key]

    def widen(self, head: Term, clause: Term, binding: Binding) -> list[Binding]:
        """The bindings of unbound variables of a head: by the grounding of all values, or by sorts."""
        if not free_names(head, binding):
            return [binding]
        if not self.has_grounding(head):
            return self.by_sort(names_in(head), clause, binding)
        fluent = fluent_of(head)
        if fluent is head and not self._has_values(head):
            found = [unify(head, proof, binding) for proof in self._proofs(resolve(head, binding))]
        elif fluent is not head and free_names(head.args[1], binding):  # type: ignore[union-attr]
            found = [unify(head, fvp, binding) for fvp in self.grounded(fluent)]
        else:
            found = [unify(fluent, fluent_of(fvp), binding) for fvp in self.grounded(fluent)]
        unique = {resolve(head, one): one for one in found if one is not None}
        return list(unique.values())

    def ranges(self, head: Term, clause: Term) -> Ranges:
        """The ranges of the variables of a head."""
        names = in_order(head)
        return Ranges(
            names, lambda name, b: self.widen_one(head, name, clause, b), lambda b: self.widen(head, clause, b)
        )

    def widen_one(self, head: Term, name: str, clause: Term, binding: Binding) -> list[Binding]:
        """The bindings of one variable of a head: with all arguments of a grounding, or by its sort alone."""
        if not self.has_grounding(head):
            return self.by_sort({name}, clause, binding)
        fluent = fluent_of(head)
        return self.widen(fluent if name in free_names(fluent, binding) else head, clause, binding)

    def universe(self, fluent: Term) -> list[Term]:
        """The possible FVPs: the grounded ones, else all combinations of the constants of each place."""
        if key_of(fluent) not in self._universe:
            self._universe[key_of(fluent)] = self._combinations(fluent)
        return self._universe[key_of(fluent)]

    def _combinations(self, fluent: Term) -> list[Term]:
        if self.has_grounding(fluent):
            return [fvp for fvp in self.grounded(fluent) if not names_in(fvp)]
        name, arity = key_of(fluent)
        places: list[object] = [("", name, arity, i) for i in range(arity)]
        choices = [sorted(self.sorts.at(place), key=repr) for place in [*places, (name, arity, "value")]]
        found: list[Term] = []
        for *arguments, value in product(*choices):
            found.append(Struct("=", (Struct(name, tuple(arguments)) if arity else fluent, value)))
        return found

    def by_sort(self, names: set[str], clause: Term, binding: Binding) -> list[Binding]:
        """Every unbound variable ranges over the constants in connected places."""
        written = {name: one for one in sorted(names) for name in free_names(Var(one), binding)}
        choices = [sorted(self.sorts.of(name, clause), key=repr) for name in written.values()]
        return [{**binding, **dict(zip(written, chosen, strict=True))} for chosen in product(*choices)]

    # -- dynamic domains ---------------------------------------------------------------------------------------------

    def _fill_dynamic(self) -> None:
        for pattern, domain in self._sources():
            for entity in self._entities():
                binding = unify(rename(pattern, "~c"), entity, {})
                member = None if binding is None else resolve(rename(domain, "~c"), binding)
                if member is not None and not names_in(member):
                    known = self.description.background.clauses.get(key_of(member), [])
                    if (member, None) not in known:
                        self.description.background.add(member)

    def _entities(self) -> list[Term]:
        return [r.entity if r.value is None else Struct("=", (r.entity, r.value)) for r in self.records]

    def _sources(self) -> Iterator[tuple[Term, Term]]:
        """Input entities and the dynamic domain that their arguments fill."""
        for entities, domain in self.description.collected:
            yield from ((entity, domain) for entity in entities)
        for head, bodies, _ in self._declared:
            for goal in (goal for body in bodies for goal in body):
                if isinstance(goal, Struct) and key_of(goal) in self.description.dynamic:
                    yield head, goal


class Sorts:
    """Constants by the places that variables connect."""

    def __init__(self, description: Description, records: list[Record]) -> None:
        self.parent: dict[object, object] = {}
        self.members: dict[object, set[Term]] = {}
        for n, clause in enumerate(description.clauses):
            for term in (clause.head, clause.body):
                if term is not None:
                    self._add(term, f"clause{n}")
        for record in records:
            self._place(record.entity, ("top",), "record")
            if record.value is not None:
                self._place(Struct("=", (record.entity, record.value)), ("top",), "record")
        for n, (entities, domain) in enumerate(description.collected):
            for entity in (*entities, domain):
                self._add(entity, f"collected{n}")
        self.scopes = {(clause.head, clause.body): f"clause{n}" for n, clause in enumerate(description.clauses)}

    def _find(self, place: object) -> object:
        while self.parent.get(place, place) != place:
            place = self.parent[place]
        return place

    def _join(self, one: object, other: object) -> None:
        one, other = self._find(one), self._find(other)
        if one != other:
            self.parent[one] = other
            self.members[other] = self.members.pop(one, set()) | self.members.get(other, set())

    def _add(self, term: Term, scope: str) -> None:
        if not isinstance(term, Struct) or term.name == "collectGrounds":
            return
        if term.name in _TRANSPARENT:
            for arg in term.args:
                self._add(arg, scope)
        elif term.name in ("happensAt", "holdsAt", "holdsFor", "initiatedAt", "terminatedAt"):
            self._add(term.args[0], scope)
        elif term.name in ("initiates", "terminates"):
            self._add(term.args[0], scope)
            self._add(term.args[1], scope)
        elif term.name == "=" and isinstance(term.args[0], Var):
            self._place(term.args[1], (scope, term.args[0].name), scope)
        elif term.name not in _COMPARISONS:
            self._place(term, ("top",), scope)

    def _place(self, term: Term, place: object, scope: str) -> None:
        if isinstance(term, Var):
            self._join(place, (scope, term.name))
        elif isinstance(term, Struct) and term.name == "=" and place == ("top",):
            self._place(term.args[0], ("top",), scope)
            self._place(term.args[1], (*key_of(term.args[0]), "value"), scope)
        elif isinstance(term, Struct):
            if place != ("top",) and not names_in(term):
                self._member(term, place)
            for i, arg in enumerate(term.args):
                self._place(arg, (place if place != ("top",) else "", *key_of(term), i), scope)
        elif place != ("top",):
            self._member(term, place)

    def _member(self, term: Term, place: object) -> None:
        self.members.setdefault(self._find(place), set()).add(term)

    def of(self, name: str, clause: Term) -> set[Term]:
        scope = self.scopes.get(clause, "")  # type: ignore[call-overload]
        return self.at((scope, name))

    def at(self, place: object) -> set[Term]:
        """The constants that stand in a place."""
        return self.members.get(self._find(place), set())
