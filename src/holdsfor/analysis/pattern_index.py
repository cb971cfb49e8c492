"""An index of patterns: the patterns that may match a given one, without a comparison with every pattern.

An event description may have thousands of rules. An analysis that compares every head with every condition takes time
quadratic in their number. The index finds the candidates by name and arity, then by the constant or structure name in
one argument or in the value, whichever leaves the fewest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from holdsfor.analysis.patterns import generalise, may_match, pattern_name
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = ["PatternIndex", "disjoint_patterns"]

Item = TypeVar("Item")

_Symbol = Term | tuple[str, int] | None
_Numbers = dict[int, None]

_NO_NUMBERS: _Numbers = {}


class PatternIndex(Generic[Item]):
    """Items with a pattern each: an event, or an FVP as `F=V`. A lookup returns items in the order of their numbers.

    >>> from holdsfor.syntax.parser import parse_term as term
    >>> index = PatternIndex([(term("gap(V)=nearPorts"), 1), (term("gap(V)=farFromPorts"), 2), (term("stop(V)=S"), 3)])
    >>> index.matching(term("gap(_)=_")), index.matching(term("gap(v1)=nearPorts")), index.has(term("gap(_)=none"))
    ([1, 2], [1], False)
    """

    def __init__(self, items: Iterable[tuple[Term, Item]] = ()) -> None:
        self._items: dict[int, tuple[Term, Item]] = {}
        self._named: dict[tuple[str, int], _Numbers] = {}
        self._at: dict[tuple[tuple[str, int], int], dict[_Symbol, _Numbers]] = {}
        for number, (pattern, item) in enumerate(items):
            self.add(number, pattern, item)

    def add(self, number: int, pattern: Term, item: Item) -> None:
        """Add an item with a number that no other item has."""
        self._items[number] = (pattern, item)
        for numbers in self._places(pattern):
            numbers[number] = None

    def remove(self, number: int) -> None:
        """Remove the item of a number."""
        pattern, _ = self._items.pop(number)
        for numbers in self._places(pattern):
            del numbers[number]

    def matching(self, pattern: Term) -> list[Item]:
        """The items whose patterns may match a pattern."""
        return [self._items[number][1] for number in self.numbers(pattern)]

    def matching_any(self, patterns: Iterable[Term]) -> list[Item]:
        """The items whose patterns may match one of the patterns."""
        numbers = {number for pattern in patterns for number in self.numbers(pattern)}
        return [self._items[number][1] for number in sorted(numbers)]

    def numbers(self, pattern: Term) -> list[int]:
        """The numbers of the items whose patterns may match a pattern, in ascending order."""
        return sorted(number for number in self._candidates(pattern) if may_match(self._items[number][0], pattern))

    def has(self, pattern: Term) -> bool:
        """Whether the pattern of an item may match a pattern."""
        return any(may_match(self._items[number][0], pattern) for number in self._candidates(pattern))

    def _places(self, pattern: Term) -> Iterator[_Numbers]:
        """The entries of a pattern: by name, and by the symbol in each place."""
        key = pattern_name(pattern)
        yield self._named.setdefault(key, {})
        for place, symbol in enumerate(_symbols(pattern)):
            yield self._at.setdefault((key, place), {}).setdefault(symbol, {})

    def _candidates(self, pattern: Term) -> list[int]:
        """Numbers that include those of all patterns that may match."""
        key = pattern_name(pattern)
        best: tuple[_Numbers, ...] = (self._named.get(key, _NO_NUMBERS),)
        for place, symbol in enumerate(_symbols(pattern)):
            here = self._at.get((key, place))
            if symbol is not None and here is not None:
                found = here.get(symbol, _NO_NUMBERS), here.get(None, _NO_NUMBERS)
                best = min(best, found, key=_size)
        return [number for numbers in best for number in numbers]


def _size(parts: tuple[_Numbers, ...]) -> int:
    return sum(map(len, parts))


def _symbols(pattern: Term) -> list[_Symbol]:
    """The constant or the name and arity in each argument, and in the value of an FVP; None for a variable.

    The value of an FVP comes first, so that the places of events and of FVPs of one name differ.
    """
    entity, value = pattern, _NO_VALUE
    if isinstance(pattern, Struct) and pattern.name == "=" and len(pattern.args) == 2:
        entity, value = pattern.args
    arguments = entity.args if isinstance(entity, Struct) else ()
    return [_symbol(term) for term in (value, *arguments)]


_NO_VALUE: Term = Struct("no value", (Var("_"),))


def _symbol(term: Term) -> _Symbol:
    if isinstance(term, Var):
        return None
    return name_and_arity(term) if isinstance(term, Struct) else term


def disjoint_patterns(patterns: Iterable[Term]) -> list[Term]:
    """Patterns that cover the given ones and do not match each other, by name, in order of first appearance."""
    index: PatternIndex[Term] = PatternIndex()
    placed: dict[int, Term] = {}
    names: dict[tuple[str, int], list[int]] = {}
    for new, pattern in enumerate(patterns):
        place = new
        overlapping = index.numbers(pattern)
        if len(overlapping) == 1 and generalise(placed[overlapping[0]], pattern) == placed[overlapping[0]]:
            continue
        while overlapping:
            place = overlapping[0]
            for number in overlapping:
                pattern = generalise(placed.pop(number), pattern)
                index.remove(number)
            overlapping = index.numbers(pattern)
        placed[place] = pattern
        index.add(place, pattern, pattern)
        names.setdefault(pattern_name(pattern), []).append(place)
    return [placed[place] for places in names.values() for place in sorted(set(places)) if place in placed]
