"""Predicates on the text of atoms, strings and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.builtins.numbers import integer_value
from holdsfor.prolog.inline import list_parts, proper_list
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.registry import DETERMINISTIC, Arguments, Rows, Run, deterministic, enumerated
from holdsfor.prolog.unify import resolve, unify
from holdsfor.syntax.printer import show_constant
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Float, Int, Str, Struct, Term, Var, list_term

__all__ = ["parsed_number", "text_of"]

_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_SPECIAL = re.compile(r"[+-]?0(?:x[0-9a-fA-F]+|o[0-7]+|b[01]+)\Z")
_FLOAT = re.compile(r"[+-]?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)\Z", re.ASCII)


def text_of(term: Term) -> str:
    """The text of a constant, or of a list of characters or codes; a `GoalProblem` if the term has none."""
    match term:
        case Atom():
            return term.name
        case Str():
            return term.value
        case Int() | Float():
            return _number_text(term)
        case Struct(name="[|]"):
            return "".join(_character(item) for item in proper_list(term))
        case _:
            raise not_a("an atom, string or number", resolve(term))


def _number_text(term: Int | Float) -> str:
    try:
        return show_constant(term)
    except ValueError:
        raise GoalProblem("HF604", "the number has too many digits to be written") from None


def _character(term: Term) -> str:
    if isinstance(term, Int) and 0 <= term.value <= 0x10FFFF:
        return chr(term.value)
    if isinstance(term, Atom | Str) and len(text_of(term)) == 1:
        return text_of(term)
    raise not_a("a character", term)


def _is_text(term: Term) -> bool:
    """Whether the term is bound to something with a text: a constant or a proper list."""
    if isinstance(term, Struct):
        return list_parts(term)[1] == EMPTY_LIST
    return not isinstance(term, Var)


def parsed_number(text: str) -> Int | Float | None:
    """The number a text denotes, None if it denotes none.

    >>> parsed_number("-12"), parsed_number("1.5e3"), parsed_number("twelve")
    (Int(value=-12), Float(value=1500.0), None)
    """
    text = text.strip()
    if _SPECIAL.match(text):
        return Int(int(text, 0))
    if _INTEGER.match(text) and len(text) <= 4000:
        return Int(int(text))
    if _FLOAT.match(text):
        return Float(float(text))
    return Float(float(text)) if text in ("inf", "-inf", "nan") else None


def _number_or_problem(text: str) -> Term:
    number = parsed_number(text)
    if number is None:
        raise GoalProblem("HF603", f"expected the text of a number, found `{text[:100]}`")
    return number


# conversions: from the first argument to the second if it is bound, else back

Reader = Callable[[str], Term]


def _characters(text: str) -> Term:
    return list_term(map(Atom, text))


def _codes(text: str) -> Term:
    return list_term(number_term(ord(character)) for character in text)


def _conversion(forth: Reader, back: Reader) -> Callable[[Arguments, Run], bool]:
    def convert(args: Arguments, run: Run) -> bool:
        left, right = args
        if not isinstance(left, Var):
            return unify(right, forth(text_of(left)), run.trail)
        if not _is_text(right):
            raise GoalProblem("HF602", "neither argument is bound", "bind one in an earlier goal")
        return unify(left, back(text_of(right)), run.trail)

    return convert


DETERMINISTIC.update(
    {
        ("atom_codes", 2): _conversion(_codes, Atom),
        ("atom_chars", 2): _conversion(_characters, Atom),
        ("number_codes", 2): _conversion(_codes, _number_or_problem),
        ("number_chars", 2): _conversion(_characters, _number_or_problem),
        ("atom_string", 2): _conversion(Str, Atom),
        ("number_string", 2): _conversion(Str, _number_or_problem),
        ("string_chars", 2): _conversion(_characters, Str),
        ("string_codes", 2): _conversion(_codes, Str),
        ("string_to_atom", 2): _conversion(Atom, Str),
        ("upcase_atom", 2): _conversion(lambda text: Atom(text.upper()), Atom),
        ("downcase_atom", 2): _conversion(lambda text: Atom(text.lower()), Atom),
        ("string_upper", 2): _conversion(lambda text: Str(text.upper()), Str),
        ("string_lower", 2): _conversion(lambda text: Str(text.lower()), Str),
    }
)


@deterministic(("atom_number", 2))
def _atom_number(args: Arguments, run: Run) -> bool:
    text, number = args
    if isinstance(text, Var):
        if not isinstance(number, Int | Float):
            raise not_a("a number", number)
        return unify(text, Atom(text_of(number)), run.trail)
    found = parsed_number(text_of(text))
    return found is not None and unify(number, found, run.trail)


@deterministic(("char_code", 2))
def _char_code(args: Arguments, run: Run) -> bool:
    character, code = args
    if isinstance(character, Var):
        return unify(character, Atom(_character(Int(integer_value(code)))), run.trail)
    return unify(code, number_term(ord(_character(character))), run.trail)


@deterministic(("atom_length", 2), ("string_length", 2))
def _length(args: Arguments, run: Run) -> bool:
    return unify(args[1], number_term(len(text_of(args[0]))), run.trail)


# parts


def _concatenations(args: Arguments, make: Reader) -> Rows:
    """`A` and `B` joined, or every way to split `AB`."""
    left, right, whole = args
    if not isinstance(left, Var) and not isinstance(right, Var):
        return iter([(left, right, make(text_of(left) + text_of(right)))])
    text = text_of(whole)
    if not isinstance(left, Var):
        start = text_of(left)
        return iter([(left, make(text[len(start) :]), whole)] if text.startswith(start) else [])
    if not isinstance(right, Var):
        end = text_of(right)
        return iter([(make(text[: len(text) - len(end)]), right, whole)] if text.endswith(end) else [])
    return ((make(text[:at]), make(text[at:]), whole) for at in range(len(text) + 1))


@enumerated(("atom_concat", 3))
def _atom_concat(args: Arguments, run: Run) -> Rows:
    return _concatenations(args, Atom)


@enumerated(("string_concat", 3))
def _string_concat(args: Arguments, run: Run) -> Rows:
    return _concatenations(args, Str)


@enumerated(("sub_atom", 5))
def _sub_atom(args: Arguments, run: Run) -> Rows:
    return _parts(args, Atom)


@enumerated(("sub_string", 5))
def _sub_string(args: Arguments, run: Run) -> Rows:
    return _parts(args, Str)


def _parts(args: Arguments, make: Reader) -> Rows:
    """Rows (text, before, length, after, part) for every part that agrees with what is bound."""
    text = text_of(args[0])
    for before, length in _extents(text, args):
        part = make(text[before : before + length])
        after = len(text) - before - length
        yield args[0], number_term(before), number_term(length), number_term(after), part


def _extents(text: str, args: Arguments) -> Iterator[tuple[int, int]]:
    """Start and length of the parts to consider."""
    before, length, after = [None if isinstance(arg, Var) else integer_value(arg) for arg in args[1:4]]
    n = len(text)
    if not isinstance(args[4], Var):
        part = text_of(args[4])
        return ((at, len(part)) for at in range(n - len(part) + 1) if text.startswith(part, at))
    if before is not None:
        lengths = _lengths(n - before, length, after)
        return ((before, size) for size in lengths if before >= 0 and 0 <= size <= n - before)
    if length is not None:
        starts = range(n - length + 1) if after is None else [n - length - after]
        return ((start, length) for start in starts if start >= 0 <= length)
    return ((at, size) for at in range(n + 1) for size in _lengths(n - at, None, after) if size >= 0)


def _lengths(rest: int, length: int | None, after: int | None) -> list[int] | range:
    """The lengths a part may have, with `rest` characters from its start on."""
    if length is not None:
        return [length]
    return range(rest + 1) if after is None else [rest - after]


# joining and splitting


@deterministic(("atomic_list_concat", 2))
def _join(args: Arguments, run: Run) -> bool:
    return unify(args[1], Atom("".join(map(text_of, proper_list(args[0])))), run.trail)


@deterministic(("atomic_list_concat", 3))
def _join_or_split(args: Arguments, run: Run) -> bool:
    """Join with a separator when all parts are bound, else split at it."""
    items, tail = list_parts(args[0])
    separator = text_of(args[1])
    if tail == EMPTY_LIST and not any(isinstance(item, Var) for item in items):
        return unify(args[2], Atom(separator.join(map(text_of, items))), run.trail)
    if not separator:
        raise GoalProblem("HF603", "a text cannot be split at the empty atom")
    parts = text_of(args[2]).split(separator)
    return unify(args[0], list_term(map(Atom, parts)), run.trail)


@deterministic(("split_string", 4))
def _split_string(args: Arguments, run: Run) -> bool:
    """Split at any of the separators, then strip the padding from every part."""
    text, separators, padding = map(text_of, args[:3])
    parts = re.split(f"[{re.escape(separators)}]", text) if separators else [text]
    return unify(args[3], list_term(Str(part.strip(padding)) if padding else Str(part) for part in parts), run.trail)
