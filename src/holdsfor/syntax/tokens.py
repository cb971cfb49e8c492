"""Text to tokens, one clause at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from holdsfor.errors import Diagnostic
from holdsfor.syntax.source import Source, Span

__all__ = [
    "MAX_DIGITS",
    "LexicalProblem",
    "Token",
    "check_characters",
    "next_clause_end",
    "skip_layout",
    "tokens_of_clause",
]

Kind = Literal["atom", "quoted", "var", "int", "float", "string", "punct", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token. `text` is its value: an atom's name, a number's digits, a string's content."""

    kind: Kind
    text: str
    start: int
    end: int
    follows_layout: bool


class LexicalProblem(Exception):
    """A position where no token can be read; carries the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.end = diagnostic.span.end if diagnostic.span else 0


MAX_DIGITS = 4000
_LAYOUT = re.compile(r"(?:\s+|%[^\n]*|/\*(?s:.*?)\*/)*")
_TOKEN = re.compile(
    r"""
      (?P<word>[^\W\d]\w*)
    | (?P<code>0'(?:\\x[0-9a-fA-F]+\\?|\\[0-7]+\\?|\\[^\n]|''|[^\\\n']))
    | (?P<radix>0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)
    | (?P<float>\d+(?:_\d+)*(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)(?:Inf|NaN)?)
    | (?P<int>\d+(?:_\d+)*)
    | (?P<quoted>'(?>[^'\\\n]|''|\\x[0-9a-fA-F]+\\?|\\[0-7]+\\?|\\(?s:.))*')
    | (?P<string>"(?>[^"\\\n]|""|\\x[0-9a-fA-F]+\\?|\\[0-7]+\\?|\\(?s:.))*")
    | (?P<end>\.(?=\s|%|\Z))
    | (?P<symbol>[-+*/\\^<>=~:.?@\#&$]+)
    | (?P<solo>[!;])
    | (?P<punct>[][(){},|])
    """,
    re.VERBOSE,
)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_CLAUSE_END = re.compile(r"\.(?=\s|%|\Z)")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)\\?|([0-7]+)\\?|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\n)|(.))|''|\"\"", re.S)
_QUOTE_HINT = r"a quote inside quotes is written twice (`'it''s'`) or escaped (`\'`)"
_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "s": " ",
    **{c: c for c in "\\'\"`"},
}


def check_characters(source: Source) -> None:
    """Refuse halves of characters (surrogates), which a text in UTF-8 cannot have."""
    half = None if source.text.isascii() else _HALF_CHARACTER.search(source.text)
    if half is not None:
        span = Span(source, half.start(), half.end())
        message = f"unexpected character `U+{ord(half[0]):04X}`, which is half of a character"
        raise LexicalProblem(Diagnostic("HF102", message, span, "was the text decoded with `surrogateescape`?"))


def skip_layout(source: Source, at: int) -> int:
    """The first position at or after `at` that is neither white space nor comment."""
    match = _LAYOUT.match(source.text, at)
    assert match is not None
    at = match.end()
    if source.text.startswith("/*", at):
        raise LexicalProblem(
            Diagnostic("HF103", "comment is not closed: expected `*/`", Span(source, at, at + 2), "close it with `*/`")
        )
    return at


def next_clause_end(source: Source, at: int) -> int:
    """The position at which parsing continues after an error: after the next full stop, or at the end of the text."""
    match = _CLAUSE_END.search(source.text, at)
    return match.end() if match else len(source.text)


def tokens_of_clause(source: Source, at: int) -> list[Token]:
    """The tokens from `at` up to and including the full stop that ends the clause.

    At the end of the text the list is empty, or ends without an `end` token if the full stop is missing.
    """
    tokens: list[Token] = []
    while True:
        begin = skip_layout(source, at)
        if begin >= len(source.text):
            return tokens
        match = _TOKEN.match(source.text, begin)
        if match is None:
            raise LexicalProblem(_unreadable(source, begin))
        token = _token(source, match, follows_layout=begin > at)
        tokens.append(token)
        if token.kind == "end":
            return tokens
        at = match.end()


def _token(source: Source, match: re.Match[str], *, follows_layout: bool) -> Token:
    group = match.lastgroup
    text = match.group()
    kind: Kind
    if group == "word":
        kind = "var" if text[0] == "_" or text[0].isupper() else "atom"
    elif group in ("symbol", "solo"):
        kind = "atom"
    elif group in ("quoted", "string"):
        kind = "quoted" if group == "quoted" else "string"
        text = _unescape(source, match.start() + 1, match.end() - 1)
    elif group == "code":
        kind, text = "int", str(_character_code(source, match))
    elif group == "radix":
        kind, text = "int", _decimal_digits(source, match)
    elif group == "int":
        kind, text = "int", text.replace("_", "")
    elif group == "float":
        kind, text = "float", text.replace("_", "")
    else:
        kind = "end" if group == "end" else "punct"
    return Token(kind, text, match.start(), match.end(), follows_layout)


def _decimal_digits(source: Source, match: re.Match[str]) -> str:
    if match.end() - match.start() > MAX_DIGITS:
        span = Span(source, match.start(), match.end())
        raise LexicalProblem(Diagnostic("HF111", f"number has more than {MAX_DIGITS} digits", span))
    return str(int(match.group(), 0))


def _character_code(source: Source, match: re.Match[str]) -> int:
    return ord(_unescape(source, match.start() + 2, match.end()))


def _unescape(source: Source, start: int, end: int) -> str:
    text = source.text[start:end]
    if "\\" not in text and "''" not in text and '""' not in text:
        return text
    quote = source.text[start - 1]

    def replace(match: re.Match[str]) -> str:
        hexadecimal, octal, short, long, newline, simple = match.groups()
        if match.group() in ("''", '""'):
            return match.group()[0] if match.group()[0] == quote else match.group()
        if newline:
            return ""
        if simple:
            return _SIMPLE_ESCAPES[simple]
        code = int(octal, 8) if octal else int(hexadecimal or short or long, 16)
        if 0xD800 <= code <= 0xDFFF:
            raise ValueError(code)
        return chr(code)

    try:
        return _ESCAPE.sub(replace, text)
    except (KeyError, ValueError, OverflowError):
        raise LexicalProblem(_bad_escape(source, start, end)) from None


def _bad_escape(source: Source, start: int, end: int) -> Diagnostic:
    at = start
    for match in _ESCAPE.finditer(source.text, start, end):
        simple, at = match.group(6), match.start()
        if simple and simple not in _SIMPLE_ESCAPES:
            break
    return Diagnostic(
        "HF105",
        f"unknown escape `{source.text[at : at + 2]}` in quotes",
        Span(source, at, at + 2),
        r"write a backslash as `\\`; known escapes are `\n`, `\t`, `\\`, `\'`, `\xHH\`, `\uXXXX`",
    )


def _unreadable(source: Source, at: int) -> Diagnostic:
    character = source.text[at]
    span = Span(source, at, at + 1)
    if character in "'\"":
        return Diagnostic("HF104", f"quote is not closed: expected `{character}` on the same line", span, _QUOTE_HINT)
    if character == "\0":
        return Diagnostic("HF102", "unexpected NUL character", span, "is this a text file?")
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return Diagnostic("HF102", f"unexpected character `{shown}`", span, "quote it if it is part of a name: `'…'`")
