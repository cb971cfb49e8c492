"""Goals as people write them: parsed, and checked against the names of the results before they run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from holdsfor.analysis.output_selection import OutputSelection
from holdsfor.analysis.pipeline import Compiled
from holdsfor.errors import Diagnostic, Diagnostics, ExecutionProblem, did_you_mean
from holdsfor.prolog.background import inner_calls
from holdsfor.query.result_index import Key, fluent_of, key_of
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, name_and_arity, variables
from holdsfor.syntax.tokens import LexicalProblem, tokens_of_clause

__all__ = ["Goal", "KnownNames", "is_unfinished", "read_goal"]

_OF_RULES = {
    ("initiatedAt", 2),
    ("terminatedAt", 2),
    ("initially", 1),
    ("initiates", 3),
    ("terminates", 3),
    ("initiatedAt", 4),
    ("terminatedAt", 4),
}
_EVENTS_OF_FLUENTS = ("start", "end", "startI", "endI")


@dataclass(frozen=True)
class KnownNames:
    """The fluents and output events of the results; the names of the input and of dynamic domains, for hints.

    `selection` are the FVPs and events that the results have, None for all of the names.
    """

    fluents: Collection[Key]
    events: Collection[Key]
    inputs: Collection[Key] = ()
    domains: Collection[Key] = ()
    selection: OutputSelection | None = None

    @classmethod
    def of_rules(cls, rules: Compiled) -> KnownNames:
        """The names of the rules."""
        names, described = rules.names, rules.description
        fluents = [name_and_arity(fluent_of(pattern)) for pattern in (*names.simple, *names.static)]
        events = [name_and_arity(event) for event in names.output_events]
        inputs = {*names.input_events, *names.input_fluents} - {*fluents}
        domains = [*described.dynamic_domains, *(each.domain for each in described.collected)]
        return cls(
            dict.fromkeys(fluents),
            dict.fromkeys(events),
            inputs,
            {*map(name_and_arity, domains)},
            rules.selection,
        )

    def is_shown(self, pattern: Term) -> bool:
        """Whether the results may have an instance of an event or FVP."""
        return self.selection is None or self.selection.may_include(pattern)


@dataclass(frozen=True)
class Goal:
    """A goal and the variables whose values are its answers, in the order of the text."""

    term: Term
    names: tuple[str, ...]


def read_goal(text: str, known: KnownNames) -> Goal:
    """The goal of a text; the final full stop is optional. An unknown fluent or event is an error.

    >>> names = KnownNames([("happy", 1)], [])
    >>> read_goal("holdsFor(happy(X)=true, I).", names).names
    ('X', 'I')
    >>> read_goal("holdsFor(hapy(X)=true, I).", names)
    Traceback (most recent call last):
    holdsfor.errors.ExecutionProblem: error[HF630]: fluent `hapy/1` not found in the results
      --> goal:1:10
      |
    1 | holdsFor(hapy(X)=true, I).
      |          ^^^^^^^
    hint: did you mean `happy/1`?
    """
    term = parse_term(text, "goal")
    found = Diagnostics(_problems(term, known))
    if len(found):
        raise ExecutionProblem(found)
    shown = [name for name, var in variables(term).items() if not var.is_anonymous and not name.startswith("_")]
    return Goal(term, tuple(shown))


def is_unfinished(text: str) -> bool:
    """Whether a goal goes on in the next line: no full stop, and an open bracket or an operator at the end.

    >>> is_unfinished("holdsFor(F, I),"), is_unfinished("holdsAt(F, 16)"), is_unfinished("holdsAt(F, 16")
    (True, False, True)
    """
    from holdsfor.syntax.operators import Operators
    from holdsfor.syntax.source import Source

    try:
        tokens = tokens_of_clause(Source("goal", text), 0)
    except LexicalProblem:
        return False
    if not tokens or tokens[-1].kind == "end":
        return False
    opened = [token for token in tokens if token.kind == "punct" and token.text in "([{"]
    closed = [token for token in tokens if token.kind == "punct" and token.text in ")]}"]
    last = tokens[-1]
    is_operator = last.text == "," or (last.kind == "atom" and last.text in Operators().infix and len(tokens) > 1)
    return len(opened) > len(closed) or is_operator


def _problems(goal: Term, known: KnownNames) -> Iterator[Diagnostic]:
    for call in inner_calls(goal):
        if not isinstance(call, Struct):
            continue
        match name_and_arity(call):
            case ("holdsFor" | "holdsAt", 2):
                yield from _problems_of_fvp(call.args[0], known)
            case ("happensAt", 2):
                yield from _problems_of_event(call.args[0], known)
            case key if key in known.domains:
                hint = "the results do not have the entities that the input mentions"
                yield Diagnostic("HF630", f"`{show_indicator(*key)}` is a dynamic domain", call.span, hint)
            case key if key in _OF_RULES:
                hint = "a goal may use `holdsFor(F=V, I)`, `holdsAt(F=V, T)` and `happensAt(E, T)`"
                yield Diagnostic("HF630", f"the results have no `{show_indicator(*key)}`", call.span, hint)


def _problems_of_fvp(fvp: Term, known: KnownNames) -> Iterator[Diagnostic]:
    if isinstance(fvp, Var):
        return
    if not (isinstance(fvp, Struct) and name_and_arity(fvp) == ("=", 2)):
        hint = f"write `{show(fvp)}=true`, or `{show(fvp)}=_` for every value" if is_callable(fvp) else None
        yield Diagnostic("HF630", f"expected a fluent with its value, `F=V`, found `{show(fvp)}`", fvp.span, hint)
        return
    fluent = fvp.args[0]
    if not isinstance(fluent, Var) and not is_callable(fluent):
        yield Diagnostic("HF630", f"expected a fluent, found `{show(fluent)}`", fluent.span)
        return
    unknown = list(_unknown("fluent", fluent, known.fluents, known, ("event", known.events, "happensAt")))
    yield from unknown or ([] if isinstance(fluent, Var) else _not_shown(fvp, known))


def _problems_of_event(event: Term, known: KnownNames) -> Iterator[Diagnostic]:
    if isinstance(event, Var):
        return
    if isinstance(event, Struct) and event.name in _EVENTS_OF_FLUENTS and len(event.args) == 1:
        message = f"the results have no `{event.name}` events"
        hint = "the intervals have the starts and ends: `holdsFor(F=V, I), member((S,E), I)`"
        yield Diagnostic("HF630", message, event.span, hint)
        return
    if not is_callable(event):
        yield Diagnostic("HF630", f"expected an event, found `{show(event)}`", event.span)
        return
    unknown = list(_unknown("event", event, known.events, known, ("fluent", known.fluents, "holdsFor")))
    yield from unknown or _not_shown(event, known)


def _not_shown(pattern: Term, known: KnownNames) -> Iterator[Diagnostic]:
    """The problem of an event or FVP of the rules that the run does not report."""
    if known.selection is not None and not known.is_shown(pattern):
        shown = ", ".join(dict.fromkeys(f"`{show(each)}`" for each in known.selection.patterns))
        span = None if isinstance(pattern, Var) else pattern.span
        yield Diagnostic("HF630", f"`{show(pattern)}` is not shown", span, f"the results have {shown}")


def _unknown(
    kind: str, named: Term, names: Collection[Key], known: KnownNames, other: tuple[str, Collection[Key], str]
) -> Iterator[Diagnostic]:
    """The problem of a name that the results do not have."""
    key = key_of(named)
    if key is None or key in names:
        return
    shown, other_kind = show_indicator(*key), other[0]
    arities = sorted(arity for name, arity in names if name == key[0])
    if key in other[1]:
        hint: str | None = f"`{shown}` is {_a(other_kind)}: use `{other[2]}`"
    elif key in known.inputs:
        hint = f"`{shown}` is input: the results have the fluents and events that rules define"
    elif arities:
        hint = f"`{key[0]}` has {' or '.join(map(str, arities))} {'argument' if arities == [1] else 'arguments'}"
    else:
        hint = _near(key, names) or _listed(kind, names)
    yield Diagnostic("HF630", f"{kind} `{shown}` not found in the results", _name_span(named), hint)


def _near(key: Key, names: Collection[Key]) -> str | None:
    same = did_you_mean(key[0], [name for name, arity in names if arity == key[1]])
    return same.replace("`?", f"/{key[1]}`?") if same else did_you_mean(key[0], [name for name, _ in names])


def _listed(kind: str, names: Iterable[Key]) -> str:
    shown = [f"`{show_indicator(*key)}`" for key in names]
    more = f" and {len(shown) - _MANY} more" if len(shown) > _MANY else ""
    return f"there are {', '.join(shown[:_MANY])}{more}" if shown else f"the results have no {kind}s"


_MANY = 12


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _name_span(named: Term) -> Span | None:
    return None if isinstance(named, Var) else named.span
