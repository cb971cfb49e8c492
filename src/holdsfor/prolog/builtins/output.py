"""Output: text that goals print is discarded, unless the caller sets a destination with `printing`.

The engine decides how often and when it proves a goal of a rule; it proves a start-up goal once. `format/3` with
`atom(A)` creates an atom instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from holdsfor.prolog.builtins.atoms import checked_text, shown_whole, text_of
from holdsfor.prolog.inline import list_parts
from holdsfor.prolog.problems import GoalProblem
from holdsfor.prolog.registry import Arguments, BuiltinContext, deterministic
from holdsfor.prolog.unify import resolve, unify
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Int, Struct, Term

__all__ = ["printing"]

_WIDEST = 1000


_STREAMS = (Atom("user_error"), Atom("user_output"))


_printed: ContextVar[Callable[[str], object] | None] = ContextVar("printed", default=None)


@contextmanager
def printing(to: Callable[[str], object]) -> Iterator[None]:
    """Pass the text that goals print to a function."""
    token = _printed.set(to)
    try:
        yield
    finally:
        _printed.reset(token)


def _print(text: str) -> bool:
    """Print a text without terminal control characters."""
    to = _printed.get()
    if to is not None:
        to("".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text))
    return True


def _without_stream(args: Arguments, n: int) -> tuple[Arguments, bool]:
    """The last `n` arguments, and whether output to the stream before them is shown."""
    return args[len(args) - n :], len(args) == n or args[0] in _STREAMS


@deterministic(("write", 1), ("print", 1), ("write", 2), ("print", 2))
def _write(args: Arguments, run: BuiltinContext) -> bool:
    (term,), is_shown = _without_stream(args, 1)
    return not is_shown or _print(_plain(resolve(term)))


@deterministic(("writeln", 1), ("writeln", 2))
def _writeln(args: Arguments, run: BuiltinContext) -> bool:
    (term,), is_shown = _without_stream(args, 1)
    return not is_shown or _print(f"{_plain(resolve(term))}\n")


@deterministic(("writeq", 1), ("write_canonical", 1), ("writeq", 2), ("write_canonical", 2))
def _writeq(args: Arguments, run: BuiltinContext) -> bool:
    (term,), is_shown = _without_stream(args, 1)
    return not is_shown or _print(show(resolve(term)))


@deterministic(("nl", 0), ("nl", 1))
def _nl(args: Arguments, run: BuiltinContext) -> bool:
    return not _without_stream(args, 0)[1] or _print("\n")


@deterministic(("tab", 1), ("tab", 2))
def _tab(args: Arguments, run: BuiltinContext) -> bool:
    (n,), is_shown = _without_stream(args, 1)
    return not is_shown or not isinstance(n, Int) or _print(" " * min(max(n.value, 0), _WIDEST))


@deterministic(("format", 1), ("format", 2))
def _format_out(args: Arguments, run: BuiltinContext) -> bool:
    return _print(_formatted_leniently(args[0], args[1] if len(args) > 1 else EMPTY_LIST, run))


def _formatted_leniently(template: Term, given: Term, run: BuiltinContext) -> str:
    """The printed text; an unknown format is printed unchanged, with its arguments."""
    items, end = list_parts(given, run.trail)
    values = items if end == EMPTY_LIST else [given]
    text = text_of(template, run.trail)
    try:
        return _formatted(text, values)
    except GoalProblem:
        return " ".join([text, *(_plain(resolve(value)) for value in values)]) + "\n"


@deterministic(("format", 3))
def _format(args: Arguments, run: BuiltinContext) -> bool:
    """`format(atom(Text), Format, Arguments)`, or to a stream; only the user's streams are shown."""
    sink = args[0]
    if sink in _STREAMS:
        return _print(_formatted_leniently(args[1], args[2], run))
    if not isinstance(sink, Struct) or sink.name not in ("atom", "string") or len(sink.args) != 1:
        return True
    items, end = list_parts(args[2], run.trail)
    text = _formatted(text_of(args[1], run.trail), items if end == EMPTY_LIST else [args[2]])
    checked_text(len(text), run.trail)
    return unify(sink.args[0], Atom(text), run.trail)


def _formatted(template: str, values: list[Term]) -> str:
    """The template with its directives (`~w ~p ~q ~a ~d ~s ~n ~~`) replaced."""
    rest = iter(values)
    first, *pieces = template.replace("~~", "\0").split("~")
    text = first + "".join(_directive(piece[:1], rest) + piece[1:] for piece in pieces)
    if next(rest, None) is not None:
        raise GoalProblem("HF603", "there are more arguments than the format takes")
    return text.replace("\0", "~")


def _directive(letter: str, values: Iterator[Term]) -> str:
    if letter == "n":
        return "\n"
    if letter not in ("w", "p", "q", "a", "d", "s") or not letter:
        raise GoalProblem("HF603", f"`~{letter}` is not a format directive", "use ~w ~p ~q ~a ~d ~s ~n or ~~")
    value = next(values, None)
    if value is None:
        raise GoalProblem("HF603", "there are fewer arguments than the format takes")
    value = resolve(value)
    return shown_whole(value) if letter == "q" or isinstance(value, Struct) else _plain(value)


def _plain(value: Term) -> str:
    return value.name if isinstance(value, Atom) else show(value)
