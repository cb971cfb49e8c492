"""The fluents and events whose definitions two event descriptions have in common.

The definition of a name is everything that is written about it. A name is *unchanged* if its definition, and those of
all names that it depends on, are the same in both descriptions: rules, groundings, domains, input declarations, facts
and predicates of the background knowledge. Names of variables, comments and the order of rules do not matter; the order
of the clauses of a predicate does, because proofs depend on it. A delay belongs to the definitions of both its fluents,
which are computed together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeAlias

from holdsfor.analysis.fingerprint import item_texts
from holdsfor.analysis.names import domain_entities
from holdsfor.analysis.patterns import pattern_name
from holdsfor.analysis.pipeline import Compiled
from holdsfor.prolog.areas import AREA
from holdsfor.prolog.background import has_open_call, inner_calls
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import FactTable
from holdsfor.syntax.rules import Fvp, Happens, IntervalCall, Test
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, Var, name_and_arity

__all__ = ["Canonical", "UnchangedNames", "canonical", "unchanged_names"]

Key: TypeAlias = tuple[str, int]

_EVERYTHING: Key = ("", -1)  # what all definitions depend on: the clock, the start-up goals
_PROVABLE: Key = ("", -2)  # what a goal may call that is known only when it is proved
_OF_AREAS = ("in_area", "near_area")
_PLACES = ("span", "number")  # where a rule is written, and its number


@dataclass(frozen=True)
class Canonical:
    """A rule as text in which variables are numbered in their order, and the names of these variables."""

    text: str
    names: tuple[str, ...]


def canonical(rule: Any) -> Canonical:
    """The canonical form of a rule or term. Two rules that differ in the names of variables have the same text.

    >>> from holdsfor.syntax.parser import parse_term
    >>> canonical(parse_term("f(Y, a, X, Y)"))
    Canonical(text='f(?0,a`a,?1,?0,)', names=('Y', 'X'))
    """
    numbers: dict[str, int] = {}
    texts: list[str] = []
    waiting: list[Any] = [rule]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Text):
            texts.append(part)
        else:
            waiting += reversed(list(_parts(part, numbers)))
    return Canonical("".join(texts), tuple(numbers))


class _Text(str):
    """A text of a canonical form."""


def _parts(part: Any, numbers: dict[str, int]) -> Iterator[Any]:
    """The texts and parts of a part, in order."""
    match part:
        case Var():
            yield _Text(f"?{numbers.setdefault(part.name, len(numbers))}")
        case Struct():
            yield _Text(f"{_quoted(part.name)}(")
            yield from _separated(part.args)
            yield _Text(")")
        case Atom():
            yield _Text(f"a`{_quoted(part.name)}")
        case Int() | Float() | Str():
            yield _Text(f"{type(part).__name__}`{part.value!r}")
        case tuple():
            yield _Text("[")
            # a text among the parts of a rule is the name of a variable
            yield from _separated([Var(each) if isinstance(each, str) else each for each in part])
            yield _Text("]")
        case _ if is_dataclass(part):
            yield _Text(f"<{type(part).__name__} ")
            yield from _separated([getattr(part, each.name) for each in fields(part) if each.name not in _PLACES])
            yield _Text(">")
        case _:
            yield _Text(repr(part))


def _separated(parts: Iterable[Any]) -> Iterator[Any]:
    for each in parts:
        yield each
        yield _Text(",")


def _quoted(name: str) -> str:
    return name if name.isidentifier() else repr(name)


@dataclass(frozen=True)
class UnchangedNames:
    """The names that two descriptions define in the same way, and whether these are all names of both."""

    names: frozenset[Key]
    are_all: bool


def unchanged_names(
    old: Compiled, new: Compiled, old_goals: Collection[Term] = (), new_goals: Collection[Term] = ()
) -> UnchangedNames:
    """The names that both descriptions define in the same way, with everything that they depend on.

    >>> from holdsfor.analysis.pipeline import compile_text
    >>> kept = "initiatedAt(a(X)=true, T) :- happensAt(e(X), T). initiatedAt(b(X)=true, T) :- happensAt(e(X), T)."
    >>> changed = kept.replace("b(X)=true, T) :-", "b(Y)=true, U) :- happensAt(f(Y), U). initiatedAt(b(X)=true, T) :-")
    >>> reads = " happensAt(c(X), T) :- happensAt(start(b(X)=true), T)."
    >>> unchanged_names(compile_text(kept + reads), compile_text(changed + reads))
    UnchangedNames(names=frozenset({('a', 1)}), are_all=False)
    """
    before, after = _digests(old, old_goals), _digests(new, new_goals)
    names = frozenset(key for key, digest in before.items() if key[1] >= 0 and after.get(key) == digest)
    return UnchangedNames(names, before == after)


def _digests(compiled: Compiled, goals: Collection[Term]) -> dict[Key, bytes]:
    """A digest of each name with everything that it depends on. O(n m) for n names that depend on m others each."""
    found = _definitions(compiled, goals)
    own = {key: each.digest() for key, each in found.items()}
    reads = {key: each.reads for key, each in found.items()}
    return {key: _together(key, own, reads) for key in own}


def _together(key: Key, own: Mapping[Key, bytes], reads: Mapping[Key, set[Key]]) -> bytes:
    reached: set[Key] = set()
    waiting = [key, _EVERYTHING]
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += reads.get(here, ())
    digest = hashlib.blake2b(digest_size=16)
    for each in sorted(reached):
        digest.update(f"{each!r} ".encode(errors="surrogatepass"))
        digest.update(own.get(each, b""))
    return digest.digest()


@dataclass
class _Definition:
    """The texts about a name, those whose order counts apart from the others, and the names that it depends on."""

    ordered: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    reads: set[Key] = field(default_factory=set)

    def digest(self) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        for text in (*self.ordered, "", *sorted(self.others)):
            written = text.encode(errors="surrogatepass")
            digest.update(len(written).to_bytes(8, "little"))
            digest.update(written)
        return digest.digest()


class _Definitions(dict[Key, _Definition]):
    def __missing__(self, key: Key) -> _Definition:
        found = self[key] = _Definition()
        return found

    def add(self, part: Any, *about: Key) -> None:
        """A part of the definitions of some names."""
        text, reads = canonical(part).text, set(_read_names(part))
        for key in about:
            self[key].others.append(text)
            self[key].reads |= reads


def _definitions(compiled: Compiled, goals: Collection[Term]) -> _Definitions:
    description, found = compiled.description, _Definitions()
    for rule in description.point_rules:
        found.add(rule, _name(rule.head))
    for interval_rule in description.interval_rules:
        found.add(interval_rule, _name(interval_rule.fvp))
    for initial in description.initially:
        found.add(initial, _name(initial.fvp))
    for postponable in description.postponable:
        found.add(postponable, _name(postponable.fvp))
    for delay in description.delays:
        found.add(delay, _name(delay.source), *(() if delay.target is None else (_name(delay.target),)))
    for declared in description.inputs:
        found.add(declared, _name(declared.pattern))
    for fact in description.given:
        found.add(fact, _name(fact.entity))
    for grounding in description.groundings:
        found.add(grounding, _name(grounding.entity))
    _add_domains(compiled, found)
    _add_background(description, found)
    for clause in description.conditional:
        found.add(clause, _EVERYTHING)
    found[_EVERYTHING].ordered += [description.time_unit, description.time_zone]
    for goal in goals:
        found[_EVERYTHING].ordered.append(canonical(goal).text)
        found[_EVERYTHING].reads |= {_PROVABLE, *_calls(goal)}
    return found


def _add_domains(compiled: Compiled, found: _Definitions) -> None:
    """Dynamic domains: the records of input entities fill them."""
    names = compiled.names
    for domain in compiled.description.dynamic_domains:
        found[name_and_arity(domain)].others.append("dynamic domain")
    for entity, domain in domain_entities(compiled.description):
        key = pattern_name(entity)
        if key in names.input_events or key in names.input_fluents:
            found[name_and_arity(domain)].others.append(canonical((entity, domain)).text)


def _add_background(description: EventDescription, found: _Definitions) -> None:
    for item in description.background:
        if isinstance(item, FactTable):
            key, texts = (item.name, item.arity), list(item_texts(item))
        else:
            key, texts = name_and_arity(item.head), [canonical((item.head, item.body)).text]
            found[key].reads |= set() if item.body is None else set(_calls(item.body))
        found[key].ordered += texts
        found[_PROVABLE].reads.add(key)
    for kind, keys in (("dynamic", description.dynamic_predicates), ("intervalwise", description.intervalwise)):
        for key in keys:
            found[key].others.append(kind)


def _name(entity: Fvp | Term) -> Key:
    return name_and_arity(entity.fluent if isinstance(entity, Fvp) else entity)


def _read_names(part: Any) -> Iterator[Key]:
    """The events, fluents and predicates that a rule reads, with those of its head."""
    match part:
        case Fvp(fluent, _):
            yield name_and_arity(fluent)
        case Happens(event):
            yield name_and_arity(event)
        case Test(goal) | IntervalCall(goal):
            yield from _calls(goal)
        case Struct() | Atom():
            yield from _calls(part)
        case tuple():
            for each in part:
                yield from _read_names(each)
        case _ if is_dataclass(part) and not isinstance(part, Var | Int | Float | Str | Span):
            for each in fields(part):
                yield from _read_names(getattr(part, each.name))


def _calls(goal: Term) -> Iterable[Key]:
    """The predicates that a goal may call."""
    if has_open_call(goal):
        yield _PROVABLE
    for call in inner_calls(goal):
        key = name_and_arity(call)
        yield AREA if key[0] in _OF_AREAS else key
