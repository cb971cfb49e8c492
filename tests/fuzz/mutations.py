"""Texts that are almost right: what a typing error, a lost block or a wrong file does to an event description."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

__all__ = ["corpus", "random_text"]

_ROOT = Path(__file__).parents[2]
_LEXEME = re.compile(r"\w+|\s+|[^\w\s]")
_WORDS = [
    *(
        "happensAt(",
        "holdsAt(",
        "holdsFor(",
        "initiatedAt(",
        "terminatedAt(",
        "initiates(",
        "terminates(",
        "initially(",
    ),
    *("fi(", "ft(", "p(", "grounding(", "dynamicDomain(", "collectGrounds(", "collectIntervals(", "buildFromPoints("),
    *("points(", "index(", "start(", "end(", "union_all(", "intersect_all(", "relative_complement_all(", "allen("),
    *(
        "complement_all(",
        "during(",
        "intDurGreater(",
        "findall(",
        "aggregate_all(",
        "forall(",
        "setof(",
        "maxDuration(",
    ),
    *("f=true", "f(X)=V", "F=V", "I", "T", "_", "X", "e(X)", "[]", "[I1,I2]", "[H|T]", "source", "before", "5", "-1"),
    *(":-", ":- op(700, xfx, foo).", ":- [rules].", ":- dynamic a/1.", "-->", "->", ";", ",", "|", "!", "fail", "true"),
    *(
        "\\+",
        "not ",
        "=",
        "\\=",
        "=..",
        "is",
        "-",
        "+",
        "*",
        "^",
        "mod",
        "<",
        "=:=",
        ". ",
        ".\n",
        ".",
        "0'",
        "0x",
        "1e",
    ),
    *("(", ")", "[", "]", "{", "}", "'", '"', "`", "\\", "%", "/*", "*/", "1.0Inf", "1.5NaN", "99999999999999999999"),
    *("\0", "\ufeff", "\r\n", "\t", "\u2028", "é", "名", "🜁", "\x85", "\xa0", "٣", "²", "'\\x41\\'", "0'\\n", '"s"'),
]

Mutation = Callable[[random.Random, list[str], list[str]], list[str]]


def corpus() -> tuple[str, ...]:
    """The rule files of the applications and of the golden tests, and a text with one clause of every kind."""
    files = [*_ROOT.glob("apps/*/*.prolog"), *_ROOT.glob("tests/golden/**/*.prolog")]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(files)]
    return (_ONE_OF_EACH, *texts)


_ONE_OF_EACH = r"""
% one clause of every kind
:- discontiguous initiatedAt/2. :- dynamic person/1. :- op(700, xfx, near).
initially(s(X)=off) :- person(X).
initiatedAt(s(X)=on, T) :- happensAt(press(X, _), T), \+ holdsAt(s(X)=on, T), X \= 'Chris', Y is 2 - 1, Y > 0.
terminatedAt(s(X)=V, T1, T, T2) :- happensAt(start(g(X)=V), T), not (holdsAt(g(X)=true, T) ; happensAt(lost(X), T)).
initiates(press(X, 1.5e3), h(X)=true, T) :- findall(Y, holdsAt(s(Y)=on, T), L), length(L, N), N >= 2.
happensAt(alarm(X), T) :- happensAt(end(s(X)=on), T), (person(X) -> true ; fail),
    aggregate_all(count, happensAt(e, T), C).
holdsFor(g(X)=true, I) :- holdsFor(s(X)=on, I1), I1 \= [], !, holdsFor(h(X)=true, I2), union_all([I1, I2], I).
holdsFor(g(X)=true, []).
holdsFor(k(X)=true, I) :- holdsFor(s(X)=on, A), holdsFor(h(X)=true, B), allen(during, A, B, source, C),
    relative_complement_all(C, [B, [(3,7)]], D), intDurGreater(D, 10, E), complement_all([E], I).
fi(s(X)=on, s(X)=off, D) :- delay(X, D). p(s(_)=on). ft(h(_)=true, 10).
grounding(s(X)=V) :- person(X), member(V, [on, off]). grounding(press(X, Y)) :- person(X), between(1, 3, Y).
dynamicDomain(person(_)). collectGrounds([press(X, _)], person(X)). collectIntervals(w(_)=true).
buildFromPoints(_) :- fail. points(q(_)=_). index(press(X, _), X). needsGrounding(a, b, c).
person(chris). person('Anna-Lena'). person("s"). delay(X, D) :- D is max(3, 2 ** 2) mod 7 + 0'a - 0x1F, X = {a, b}.
likes(X, Y) :- setof(Z, W^knows(Z, W), [X|_]), Y =.. [f, X | []], X @< Y, anti-pollution = A-B, A \== B, !.
"""


def random_text(random_: random.Random, texts: tuple[str, ...]) -> str:
    """A text of the corpus after a few mutations, or, now and then, plain noise."""
    if random_.random() < 0.05:
        return "".join(random_.choices(_WORDS, k=random_.randrange(40)))
    if random_.random() < 0.02:
        return "".join(chr(random_.choice([random_.randrange(128), random_.randrange(0xD800)])) for _ in range(200))
    lexemes, others = (_LEXEME.findall(random_.choice(texts)) for _ in range(2))
    lexemes = _some_clauses(random_, lexemes)
    for _ in range(random_.choice([1, 1, 2, 3, 6, 12])):
        lexemes = random_.choice(_MUTATIONS)(random_, lexemes, others)
    return "".join(lexemes)


def _some_clauses(random_: random.Random, lexemes: list[str]) -> list[str]:
    """A part of the text, so that one run sees many inputs."""
    begin = random_.randrange(max(1, len(lexemes)))
    return lexemes[begin : begin + random_.randrange(20, 600)] if len(lexemes) > 400 else lexemes


def _stretch(random_: random.Random, lexemes: list[str]) -> tuple[int, int]:
    begin = random_.randrange(len(lexemes) + 1)
    return begin, min(len(lexemes), begin + random_.choice([1, 1, 1, 2, 3, 8, 40]))


def _delete(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    begin, end = _stretch(random_, lexemes)
    return lexemes[:begin] + lexemes[end:]


def _duplicate(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    begin, end = _stretch(random_, lexemes)
    return lexemes[:end] + lexemes[begin:end] * random_.choice([1, 1, 2, 20]) + lexemes[end:]


def _swap(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    a, b = sorted(random_.randrange(len(lexemes) + 1) for _ in range(2))
    length = random_.choice([1, 1, 3, 10])
    return (
        lexemes[:a]
        + lexemes[b : b + length]
        + lexemes[a + length : b]
        + lexemes[a : a + length]
        + lexemes[b + length :]
    )


def _insert(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    at = random_.randrange(len(lexemes) + 1)
    return lexemes[:at] + random_.choices(_WORDS, k=random_.choice([1, 1, 2, 4])) + lexemes[at:]


def _replace(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    begin, end = _stretch(random_, lexemes)
    return [*lexemes[:begin], random_.choice([*_WORDS, *others[:200]]), *lexemes[end:]]


def _insert_character(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    at = random_.randrange(len(lexemes) + 1)
    return [*lexemes[:at], chr(random_.choice([random_.randrange(256), random_.randrange(55296)])), *lexemes[at:]]


def _truncate(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    return lexemes[: random_.randrange(len(lexemes) + 1)]


def _splice(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    begin, end = _stretch(random_, others)
    at = random_.randrange(len(lexemes) + 1)
    return lexemes[:at] + others[begin:end] + lexemes[at:]


def _rename(random_: random.Random, lexemes: list[str], others: list[str]) -> list[str]:
    """One name becomes another everywhere: cycles, events that are fluents, other arities."""
    words = sorted({lexeme for lexeme in lexemes if lexeme[0].isalpha()})
    if len(words) < 2:
        return lexemes
    old, new = random_.sample(words, 2)
    return [new if lexeme == old else lexeme for lexeme in lexemes]


_MUTATIONS: list[Mutation] = [
    *(_delete, _duplicate, _swap, _insert, _replace, _insert_character, _truncate, _splice, _rename),
]
