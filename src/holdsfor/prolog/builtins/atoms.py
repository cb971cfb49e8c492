"""Predicates on the text of atoms and numbers. Double-quoted text and results of string predicates are atoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.builtins.numbers import integer_value
from holdsfor.prolog.inline import list_parts, proper_list
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.registry import DETERMINISTIC, Answers, Arguments, BuiltinContext, deterministic, enumerated
from holdsfor.prolog.unify import Trail, resolve, unify
from holdsfor.syntax.printer import show, show_constant
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Float, Int, Struct, Term, Var, is_larger, list_term

__all__ = ["checked_text", "parsed_number", "shown_whole", "text_of"]

MAX_TEXT = 1_000_000

_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_SPECIAL = re.compile(r"[+-]?0(?:x[0-9a-fA-F]+|o[0-7]+|b[01]+)\Z")
_FLOAT = re.compile(r"[+-]?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)\Z", re.ASCII)


def text_of(term: Term, trail: Trail) -> str:
    """The text of a constant, or of a list of characters or codes; a `GoalProblem` if the term has none."""
    match term:
        case Atom():
            return term.name
        case Int() | Float():
            return _number_text(term)
        case Struct(name="[|]"):
            return "".join(_character(item) for item in proper_list(term, trail))
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
    text = term.name if isinstance(term, Atom) else ""
    if len(text) != 1:
        raise not_a("a character", term)
    return text


def _is_text(term: Term, trail: Trail) -> bool:
    """Whether the term is bound to a term with a text: a constant or a proper list."""
    if isinstance(term, Struct):
        return list_parts(term, trail)[1] == EMPTY_LIST
    return not isinstance(term, Var)


def parsed_number(text: str) -> Int | Float | None:
    """The number that a text denotes, or None.

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


# conversions: from the first argument to the second if the first is bound, otherwise in reverse

Reader = Callable[[str], Term]
Writer = Callable[[str, Trail], Term]


def checked_text(length: int, trail: Trail) -> None:
    """Charge for a text of that length before it is created, and refuse a text that is too long."""
    if length > MAX_TEXT:
        raise GoalProblem("HF611", f"a text of {length:,} characters is longer than {MAX_TEXT:,}")
    trail.charge(length >> 4)


def shown_whole(term: Term) -> str:
    """The term as text; a `GoalProblem` if the text would be too long."""
    if is_larger(term, MAX_TEXT):
        raise GoalProblem("HF611", f"a text is longer than {MAX_TEXT:,} characters")
    return show(term)


def _constant(make: Reader) -> Writer:
    def made(text: str, trail: Trail) -> Term:
        checked_text(len(text), trail)
        return make(text)

    return made


def _characters(text: str, trail: Trail) -> Term:
    trail.charge(len(text))
    return list_term(map(Atom, text))


def _codes(text: str, trail: Trail) -> Term:
    trail.charge(len(text))
    return list_term(number_term(ord(character)) for character in text)


def _conversion(forth: Writer, back: Reader) -> Callable[[Arguments, BuiltinContext], bool]:
    def convert(args: Arguments, run: BuiltinContext) -> bool:
        (left, right), trail = args, run.trail
        if not isinstance(left, Var):
            return unify(right, forth(text_of(left, trail), trail), trail)
        if not _is_text(right, trail):
            raise GoalProblem("HF602", "neither argument is bound", "bind one in an earlier goal")
        return unify(left, back(text_of(right, trail)), trail)

    return convert


DETERMINISTIC.update(
    {
        ("atom_codes", 2): _conversion(_codes, Atom),
        ("atom_chars", 2): _conversion(_characters, Atom),
        ("number_codes", 2): _conversion(_codes, _number_or_problem),
        ("number_chars", 2): _conversion(_characters, _number_or_problem),
        ("atom_string", 2): _conversion(_constant(Atom), Atom),
        ("number_string", 2): _conversion(_constant(Atom), _number_or_problem),
        ("string_chars", 2): _conversion(_characters, Atom),
        ("string_codes", 2): _conversion(_codes, Atom),
        ("string_to_atom", 2): _conversion(_constant(Atom), Atom),
        ("upcase_atom", 2): _conversion(_constant(lambda text: Atom(text.upper())), Atom),
        ("downcase_atom", 2): _conversion(_constant(lambda text: Atom(text.lower())), Atom),
        ("string_upper", 2): _conversion(_constant(lambda text: Atom(text.upper())), Atom),
        ("string_lower", 2): _conversion(_constant(lambda text: Atom(text.lower())), Atom),
    }
)


@deterministic(("atom_number", 2))
def _atom_number(args: Arguments, run: BuiltinContext) -> bool:
    text, number = args
    if isinstance(text, Var):
        if not isinstance(number, Int | Float):
            raise not_a("a number", number)
        return unify(text, Atom(text_of(number, run.trail)), run.trail)
    found = parsed_number(text_of(text, run.trail))
    return found is not None and unify(number, found, run.trail)


@deterministic(("char_code", 2))
def _char_code(args: Arguments, run: BuiltinContext) -> bool:
    character, code = args
    if isinstance(character, Var):
        return unify(character, Atom(_character(Int(integer_value(code)))), run.trail)
    return unify(code, number_term(ord(_character(character))), run.trail)


@deterministic(("atom_length", 2), ("string_length", 2))
def _length(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], number_term(len(text_of(args[0], run.trail))), run.trail)


# parts


def _concatenations(args: Arguments, run: BuiltinContext, make: Reader) -> Answers:
    """`A` and `B` joined, or every split of `AB`."""
    left, right, whole = args
    if not isinstance(left, Var) and not isinstance(right, Var):
        start, end = text_of(left, run.trail), text_of(right, run.trail)
        checked_text(len(start) + len(end), run.trail)
        return iter([(left, right, make(start + end))])
    text = text_of(whole, run.trail)
    if not isinstance(left, Var):
        start = text_of(left, run.trail)
        return iter([(left, make(text[len(start) :]), whole)] if text.startswith(start) else [])
    if not isinstance(right, Var):
        end = text_of(right, run.trail)
        return iter([(make(text[: len(text) - len(end)]), right, whole)] if text.endswith(end) else [])
    return (_split(text, at, whole, run, make) for at in range(len(text) + 1))


def _split(text: str, at: int, whole: Term, run: BuiltinContext, make: Reader) -> tuple[Term, Term, Term]:
    checked_text(len(text), run.trail)
    return make(text[:at]), make(text[at:]), whole


@enumerated(("atom_concat", 3))
def _atom_concat(args: Arguments, run: BuiltinContext) -> Answers:
    return _concatenations(args, run, Atom)


@enumerated(("string_concat", 3))
def _string_concat(args: Arguments, run: BuiltinContext) -> Answers:
    return _concatenations(args, run, Atom)


@enumerated(("sub_atom", 5))
def _sub_atom(args: Arguments, run: BuiltinContext) -> Answers:
    return _parts(args, run, Atom)


@enumerated(("sub_string", 5))
def _sub_string(args: Arguments, run: BuiltinContext) -> Answers:
    return _parts(args, run, Atom)


def _parts(args: Arguments, run: BuiltinContext, make: Reader) -> Answers:
    """Rows (text, before, length, after, part) for every part that agrees with the bound arguments."""
    text = text_of(args[0], run.trail)
    for before, length in _extents(text, args, run):
        checked_text(length, run.trail)
        part = make(text[before : before + length])
        after = len(text) - before - length
        yield args[0], number_term(before), number_term(length), number_term(after), part


def _extents(text: str, args: Arguments, run: BuiltinContext) -> Iterator[tuple[int, int]]:
    """Start and length of the parts to consider."""
    before, length, after = [None if isinstance(arg, Var) else integer_value(arg) for arg in args[1:4]]
    n = len(text)
    if not isinstance(args[4], Var):
        part = text_of(args[4], run.trail)
        return ((at, len(part)) for at in range(n - len(part) + 1) if text.startswith(part, at))
    if before is not None:
        lengths = _lengths(n - before, length, after)
        return ((before, size) for size in lengths if before >= 0 and 0 <= size <= n - before)
    if length is not None:
        starts = range(n - length + 1) if after is None else [n - length - after]
        return ((start, length) for start in starts if start >= 0 <= length)
    return ((at, size) for at in range(n + 1) for size in _lengths(n - at, None, after) if size >= 0)


def _lengths(rest: int, length: int | None, after: int | None) -> list[int] | range:
    """The possible lengths of a part, with `rest` characters from its start on."""
    if length is not None:
        return [length]
    return range(rest + 1) if after is None else [rest - after]


# joining and splitting


@deterministic(("atomic_list_concat", 2))
def _join(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], _joined("", proper_list(args[0], run.trail), run), run.trail)


def _joined(separator: str, items: list[Term], run: BuiltinContext) -> Atom:
    texts = [text_of(item, run.trail) for item in items]
    checked_text(sum(map(len, texts)) + len(separator) * len(texts), run.trail)
    return Atom(separator.join(texts))


@deterministic(("atomic_list_concat", 3))
def _join_or_split(args: Arguments, run: BuiltinContext) -> bool:
    """Join with a separator if all parts are bound, otherwise split at the separator."""
    items, tail = list_parts(args[0], run.trail)
    separator = text_of(args[1], run.trail)
    if tail == EMPTY_LIST and not any(isinstance(item, Var) for item in items):
        return unify(args[2], _joined(separator, items, run), run.trail)
    if not separator:
        raise GoalProblem("HF603", "a text cannot be split at the empty atom")
    whole = text_of(args[2], run.trail)
    run.trail.charge(whole.count(separator))
    parts = whole.split(separator)
    return unify(args[0], list_term(map(Atom, parts)), run.trail)


@deterministic(("split_string", 4))
def _split_string(args: Arguments, run: BuiltinContext) -> bool:
    """Split at any of the separators, then strip the padding from every part."""
    text, separators, padding = [text_of(arg, run.trail) for arg in args[:3]]
    run.trail.charge(len(text))
    parts = re.split(f"[{re.escape(separators)}]", text) if separators else [text]
    return unify(args[3], list_term(Atom(part.strip(padding)) if padding else Atom(part) for part in parts), run.trail)
