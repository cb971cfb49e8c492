"""The fluents, events and predicates whose definitions differ between two event descriptions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdsfor.analysis.fingerprint import Item, item_texts
from holdsfor.analysis.pipeline import Compiled
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.program import Clause, Directive, FactTable
from holdsfor.syntax.terms import Atom, Struct, Term, name_and_arity

__all__ = ["RuleChanges", "rule_changes"]

_FIRST = {
    "initiatedAt",
    "terminatedAt",
    "happensAt",
    "holdsFor",
    "holdsAt",
    "initially",
    "fi",
    "ft",
    "p",
    "maxDuration",
    "maxDurationUE",
    "grounding",
    "dynamicDomain",
    "collectIntervals",
    "buildFromPoints",
    "points",
    "index",
}
"""The predicates whose clauses are about their first argument."""
_SECOND = {"initiates", "terminates"}
_GOALS = "the start-up goals"
_MOST = 4  # names in a message


@dataclass(frozen=True)
class RuleChanges:
    """The names whose definitions are changed, new and gone; without any, the order of the rules is another one."""

    changed: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]

    def __str__(self) -> str:
        parts = [
            f"{_named(names)} {'is' if len(names) == 1 else 'are'} {what}"
            for names, what in ((self.changed, "changed"), (self.new, "new"), (self.gone, "gone"))
            if names
        ]
        return ", ".join(parts) or "the order of the rules is another one"


def rule_changes(old: Compiled, new: Compiled, old_goals: Iterable[Term], new_goals: Iterable[Term]) -> RuleChanges:
    """The differences between two event descriptions with their start-up goals. O(n) in the size of the rules.

    >>> from holdsfor.analysis.pipeline import compile_text
    >>> one = compile_text("initially(a(x)=true). b(1). c(1).")
    >>> other = compile_text("initially(a(x)=false). b(1). d(1).")
    >>> print(rule_changes(one, other, [], []))
    `a/1` is changed, `d/1` is new, `c/1` is gone
    """
    before, after = _definitions(old, old_goals), _definitions(new, new_goals)
    changed = tuple(name for name, digest in before.items() if after.get(name, digest) != digest)
    added = tuple(name for name in after if name not in before)
    return RuleChanges(changed, added, tuple(name for name in before if name not in after))


def _definitions(compiled: Compiled, goals: Iterable[Term]) -> dict[str, bytes]:
    """A digest of the clauses of each name, in their order."""
    found: dict[str, hashlib.blake2b] = {}
    for item in (item for program in compiled.programs for item in program.items):
        for name in _subjects(item):
            digest = found.setdefault(name, hashlib.blake2b(digest_size=16))
            for text in item_texts(item):
                written = text.encode(errors="surrogatepass")
                digest.update(len(written).to_bytes(8, "little"))
                digest.update(written)
    for goal in goals:
        found.setdefault(_GOALS, hashlib.blake2b(digest_size=16)).update(show(goal).encode(errors="surrogatepass"))
    return {name: digest.digest() for name, digest in found.items()}


def _subjects(item: Item) -> Iterator[str]:
    """The names that an item is about."""
    match item:
        case Clause(head, _):
            yield _shown(_subject(head))
        case Directive(goal):
            yield f"`:- {show(goal)}`"
        case FactTable(name, columns):
            yield f"`{show_indicator(name, len(columns))}`"
        case _:
            yield from dict.fromkeys(f"`{show_indicator(row[0], len(row[1]))}`" for row in item.rows)


def _subject(head: Term) -> Term:
    if not isinstance(head, Struct):
        return head
    about = head.args[0] if head.name in _FIRST else head.args[1] if head.name in _SECOND else head
    if isinstance(about, Struct) and about.name == "=" and len(about.args) == 2:
        about = about.args[0]
    return about if isinstance(about, Struct | Atom) else head


def _shown(term: Term) -> str:
    return f"`{show_indicator(*name_and_arity(term))}`"


def _named(names: tuple[str, ...]) -> str:
    """Some names as a list."""
    shown = list(names if len(names) <= _MOST + 1 else (*names[:_MOST], f"{len(names) - _MOST} others"))
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
