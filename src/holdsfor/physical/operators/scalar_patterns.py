"""Patterns of a rule for single bindings: building words and matching words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TypeAlias

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tuple_ids import Words
from holdsfor.physical.patterns import ANYTHING
from holdsfor.syntax.terms import Struct, Term, Var, is_ground, substitute, variables

__all__ = ["Binding", "ScalarPatterns"]

Binding: TypeAlias = dict[str, int]
"""The words of variables, by name."""


class ScalarPatterns:
    """Functions on bindings, compiled from patterns once."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    def getter(self, pattern: Term) -> Callable[[Binding], int]:
        """The word of a pattern without unbound variables."""
        if isinstance(pattern, Var):
            return itemgetter(pattern.name)
        if is_ground(pattern):
            word = self.symbols.word(pattern)
            return lambda binding: word
        names = tuple(variables(pattern))
        known: dict[Words, int] = {}

        def build(binding: Binding) -> int:
            words = tuple(binding[name] for name in names)
            word = known.get(words)
            if word is None:
                terms = {name: self.symbols.term(w) for name, w in zip(names, words, strict=True)}
                word = known[words] = self.symbols.word(substitute(pattern, terms))
            return word

        return build

    def key_getter(self, patterns: Sequence[Term]) -> Callable[[Binding], Words]:
        names = [pattern.name for pattern in patterns if isinstance(pattern, Var)]
        if len(names) == len(patterns) and len(names) > 1:
            return itemgetter(*names)
        getters = [self.getter(pattern) for pattern in patterns]
        if len(getters) == 1:
            only = getters[0]
            return lambda binding: (only(binding),)
        return lambda binding: tuple([get(binding) for get in getters])

    def matcher(self, patterns: Sequence[Term], bound: set[str]) -> Callable[[Words, Binding], Binding | None]:
        """Extends a binding so that patterns equal words; None if they do not match."""
        constants: list[tuple[int, int]] = []
        tests: list[tuple[int, Callable[[Binding], int]]] = []
        news: list[tuple[int, str]] = []
        parts: list[tuple[int, Struct]] = []
        for i, pattern in enumerate(patterns):
            if pattern is ANYTHING:
                continue
            if isinstance(pattern, Var) and pattern.name not in bound:
                news.append((i, pattern.name))
                bound.add(pattern.name)
            elif is_ground(pattern):
                constants.append((i, self.symbols.word(pattern)))
            elif isinstance(pattern, Struct) and not set(variables(pattern)) <= bound:
                parts.append((i, pattern))
            else:
                tests.append((i, self.getter(pattern)))
        inner = [(i, p.name, len(p.args), self.matcher(p.args, bound)) for i, p in parts]

        def match(words: Words, binding: Binding) -> Binding | None:
            for i, word in constants:
                if words[i] != word:
                    return None
            found = {**binding, **{name: words[i] for i, name in news}} if news else binding
            for i, get in tests:
                if words[i] != get(found):
                    return None
            for i, name, arity, match_arguments in inner:
                structure = self.symbols.structure(words[i], name, arity)
                if structure is None:
                    return None
                arguments = tuple(self.symbols.word(argument) for argument in structure.args)
                extended = match_arguments(arguments, found)
                if extended is None:
                    return None
                found = extended
            return found

        return match
