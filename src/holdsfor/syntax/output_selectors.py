"""The fluents and events that a run reports, as people write them: `:- output(rendezVous/2).` or `--show gap`.

A *selector* is a name, a name with its arity (`rendezVous/2`), a pattern of a fluent or event (`gap(_)`), or a pattern
of an FVP (`gap(_)=farFromPorts`). A selection given to a run is a program with one directive, `'$show'`, so it reaches
every process together with the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

from holdsfor.errors import Diagnostic, Diagnostics, UsageProblem
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show, show_program
from holdsfor.syntax.program import Directive, Program
from holdsfor.syntax.source import Source, Span
from holdsfor.syntax.terms import (
    EMPTY_LIST,
    Atom,
    Float,
    Int,
    Str,
    Struct,
    Term,
    Var,
    conjuncts,
    is_callable,
    list_items,
    list_term,
    name_and_arity,
)

__all__ = ["SHOW", "Selectors", "output_program", "read_selectors", "selector_terms", "selector_texts"]

SHOW = "$show"
"""The directive of a selection that a run is given. It replaces the `output` directives of the rules."""

Selectors: TypeAlias = str | Term | Iterable[str | Term]
"""One selector or several, as texts or terms."""

_TERMS = Var | Struct | Atom | Int | Float | Str
_HINT = "write a name, a name with its arity such as `gap/1`, or a pattern such as `gap(_)=true`"


def read_selectors(terms: Iterable[Term], diagnostics: Diagnostics, span: Span | None = None) -> list[Term]:
    """The selectors of a directive; `span` is its place.

    >>> from holdsfor.syntax.parser import parse_term as term
    >>> [show(each) for each in read_selectors([term("[a/1, b]"), term("(c(_), d=true)")], Diagnostics())]
    ['a/1', 'b', 'c(_)', 'd=true']
    """
    found: list[Term] = []
    for item in _items(terms):
        if _is_selector(item):
            found.append(item)
        else:
            message = f"expected a fluent or event to report, found `{show(item)}`"
            diagnostics.add("HF220", message, item.span or span, _HINT)
    return found


def _items(terms: Iterable[Term]) -> Iterator[Term]:
    """The terms, with the items of lists and conjunctions."""
    for written in (each for term in terms for each in conjuncts(term)):
        items, tail = list_items(written)
        yield from items if items and tail == EMPTY_LIST else [written]


def _is_selector(term: Term) -> bool:
    match term:
        case Struct(name="/", args=(Atom(), Int())):
            return True
        case Struct(name="=", args=(named, _)):
            return _is_entity(named)
    return _is_entity(term)


def _is_entity(term: Term) -> bool:
    return is_callable(term) and term != EMPTY_LIST and name_and_arity(term)[0] not in ("/", "=", "[|]")


def output_program(selectors: Selectors, name: str) -> Program:
    """A program that selects the output of a run; `name` is the option or argument, for messages.

    >>> print(output_program(["rendezVous/2", "gap"], "show").source.text, end="")
    :- '$show'([gap,rendezVous/2]).
    """
    written = _written(selectors, name)
    goal = Struct(SHOW, (list_term([written[text] for text in sorted(written)]),))
    program = Program(Source(name, ""), (Directive(goal),))
    return Program(Source(name, show_program(program)), program.items)


def selector_texts(selectors: Selectors, name: str) -> list[str]:
    """The texts of a selection, sorted: equal for equal selections.

    >>> selector_texts(["rendezVous/2", "gap, gap"], "show")
    ['gap', 'rendezVous/2']
    """
    return sorted(_written(selectors, name))


def selector_terms(selectors: Selectors, name: str, diagnostics: Diagnostics) -> list[Term]:
    """The selectors as terms; `name` is the option or argument, for messages."""
    return read_selectors(_written(selectors, name).values(), diagnostics)


def _written(selectors: Selectors, name: str) -> dict[str, Term]:
    """The selectors by their texts."""
    is_several = isinstance(selectors, Iterable) and not isinstance(selectors, str)
    given: list[object] = [*cast("Iterable[object]", selectors)] if is_several else [selectors]
    written: dict[str, Term] = {}
    for each in given:
        if not isinstance(each, str | _TERMS):
            message = f"expected text or a term in `{name}`, found `{type(each).__name__}`"
            raise UsageProblem(Diagnostic("HF220", message, hint=_HINT))
        written |= {show(item): item for item in _items([parse_term(each, name) if isinstance(each, str) else each])}
    return written
