"""Warn about events that look like a misspelling, or that are used with different numbers of arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from holdsfor.analysis.draft import Draft
from holdsfor.analysis.names import event_uses
from holdsfor.errors import did_you_mean
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import EDGE_NAMES, Fvp
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, is_callable, name_and_arity

__all__ = ["edges_without_values", "similar_events", "unknown_events"]

Key = tuple[str, int]

_SHORTEST = 5
"""The length from which two names that differ in one letter are suspicious: `stop` and `step` are different words."""
_LONGEST = 100
"""The length up to which names are compared letter by letter."""


def unknown_events(draft: Draft) -> None:
    """Events that look like a misspelling of an event that is defined or has a grounding."""
    description, diagnostics = draft.description, draft.diagnostics
    known = _declared(draft)
    reported: set[Key] = set()
    for event, span in event_uses(description):
        key = name_and_arity(event)
        if key in known or key in reported or not known:
            continue
        reported.add(key)
        arities = [arity for name, arity in known if name == key[0]]
        if arities:
            hint: str | None = f"the known event has {arities[0]} argument{'s' if arities[0] != 1 else ''}"
        else:
            hint = did_you_mean(key[0], [name for name, _ in known])
        if hint:
            message = f"the event `{key[0]}/{key[1]}` is used, but never defined nor given a grounding"
            diagnostics.add("HF302", message, span, hint)


def _declared(draft: Draft) -> set[Key]:
    """The events that rules define, and those with a grounding."""
    grounded = {name_and_arity(g.entity) for g in draft.description.groundings if not isinstance(g.entity, Fvp)}
    return grounded | {name_and_arity(e) for e in draft.names.output_events}


def similar_events(draft: Draft) -> None:
    """Input events that differ from another input event in one letter, or in the number of arguments.

    Of two such events the one that is used less often is reported, else the later one.
    """
    uses: Counter[Key] = Counter()
    spans: dict[Key, Span | None] = {}
    declared = _declared(draft)
    for event, span in event_uses(draft.description):
        key = name_and_arity(event)
        if key not in declared and key[0] not in EDGE_NAMES.values():
            uses[key] += 1
            spans.setdefault(key, span)
    by_use = sorted(uses, key=lambda key: -uses[key])
    for key, other in _similar_pairs(by_use):
        if key[0] == other[0]:
            message = f"the event `{key[0]}` is used with {_counted(key[1])} here and {_counted(other[1])} elsewhere"
            hint = "a record has one number of arguments: use `_` for those that do not matter"
        else:
            message = f"the event `{key[0]}/{key[1]}` is used beside `{other[0]}/{other[1]}`"
            hint = f"did you mean `{other[0]}`?"
        draft.diagnostics.add("HF302", message, spans[key], hint)


def _similar_pairs(keys: Sequence[Key]) -> Iterator[tuple[Key, Key]]:
    """Each key that is similar to an earlier one, with the first such key.

    Names one letter apart are equal without one of their letters, so only keys with a spelling in common are compared.
    """
    positions: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        spellings = _spellings(key[0])
        earlier = sorted({j for spelling in spellings for j in positions.get(spelling, ())})
        similar = next((keys[j] for j in earlier if _is_similar(key, keys[j])), None)
        if similar is not None:
            yield key, similar
        for spelling in spellings:
            positions.setdefault(spelling, []).append(i)


def _spellings(name: str) -> set[str]:
    """A name, and the name without each of its letters; digits stay, since they make different names."""
    if not _SHORTEST - 1 <= len(name) <= _LONGEST:
        return {name}
    return {name, *(name[:i] + name[i + 1 :] for i, letter in enumerate(name) if not letter.isdigit())}


def _counted(n: int) -> str:
    return f"{n} argument{'s' if n != 1 else ''}"


def _is_similar(key: Key, other: Key) -> bool:
    if key[0] == other[0]:
        return True
    return key[1] == other[1] and max(len(key[0]), len(other[0])) >= _SHORTEST and is_one_letter_apart(key[0], other[0])


def is_one_letter_apart(name: str, other: str) -> bool:
    """Whether one letter is missing, replaced or exchanged with the next; digits count as different names.

    >>> is_one_letter_apart("speed", "sped"), is_one_letter_apart("speed", "psede"), is_one_letter_apart("e1", "e2")
    (True, False, False)
    """
    if len(name) > len(other):
        name, other = other, name
    n = next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), len(name))
    if any(c.isdigit() for c in name[n : n + 1] + other[n : n + 1]):
        return False
    if len(name) < len(other):
        return name[n:] == other[n + 1 :]
    is_exchanged = name[n : n + 2] == other[n : n + 2][::-1] and name[n + 2 :] == other[n + 2 :]
    return name != other and (is_exchanged or name[n + 1 :] == other[n + 1 :])


def edges_without_values(draft: Draft) -> None:
    """Events such as `start(happy(X))`, which name a fluent without its value."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    for event, span in event_uses(description):
        if not isinstance(event, Struct) or event.name not in EDGE_NAMES.values() or len(event.args) != 1:
            continue
        fluent = event.args[0]
        if is_callable(fluent) and name_and_arity(fluent) in names.fluents:
            hint = f"write `{event.name}({show(fluent)}=…)` with a value of the fluent"
            diagnostics.add("HF302", f"`{show(event)}` does not match the fluent: the value is missing", span, hint)
