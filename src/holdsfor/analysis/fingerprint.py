"""The fingerprint of rules: equal for equal rules, in every process.

A fingerprint is a hash of the rules, declarations and background facts in source order. Layout, comments and file names
do not change the fingerprint; everything that can change an answer does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from holdsfor.analysis.pipeline import Compiled
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause, Directive, FactTable, InputFactTable, Program
from holdsfor.syntax.terms import Atom, Constant, Float, Int, Term

__all__ = ["Item", "fingerprint", "item_texts"]

Item: TypeAlias = Clause | Directive | FactTable | InputFactTable


def fingerprint(compiled: Compiled, goals: Iterable[Term] = ()) -> str:
    """The fingerprint of rules and of the goals that are proved before a run. O(n) in the size of the rules.

    >>> from holdsfor.analysis.pipeline import compile_text
    >>> one, other = "initially(a=true).", "% a comment\\ninitially( a = true )."
    >>> fingerprint(compile_text(one)) == fingerprint(compile_text(other))
    True
    >>> fingerprint(compile_text(one)) == fingerprint(compile_text("initially(a=false)."))
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    for text in chain(_texts(compiled.programs), (f"goal {show(goal)}" for goal in goals)):
        written = text.encode(errors="surrogatepass")
        digest.update(len(written).to_bytes(8, "little"))
        digest.update(written)
    return digest.hexdigest()


def _texts(programs: Iterable[Program]) -> Iterator[str]:
    return chain.from_iterable(item_texts(item) for program in programs for item in program.items)


def item_texts(item: Item) -> Iterator[str]:
    """The texts of an item that its fingerprint is made of: equal for equal items only."""
    match item:
        case Clause(head, body):
            yield f"clause {show(head)}" if body is None else f"clause {show(head)} :- {show(body)}"
        case Directive(goal):
            yield f"directive {show(goal)}"
        case FactTable(name, columns):
            yield f"facts {name}/{len(columns)}"
            yield from chain.from_iterable(map(_constant, column) for column in columns)
        case InputFactTable(rows):
            yield f"given {len(rows)}"
            for name, arguments, value, start, end in rows:
                constants = [*arguments, *([] if value is None else [value])]
                yield f"{name}/{len(arguments)} {value is None} {start} {end}"
                yield from map(_constant, constants)


def _constant(constant: Constant) -> str:
    match constant:
        case Atom(name):
            return f"a{name}"
        case Int(value):
            return f"i{value}"
        case Float(number):
            return f"f{number!r}"
    return f"s{constant.value}"
