"""Output: accepted and discarded, since background knowledge has no one to show it to. `format(atom(A), …)` works."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.prolog.builtins.atoms import checked_text, text_of
from holdsfor.prolog.inline import list_parts
from holdsfor.prolog.problems import GoalProblem
from holdsfor.prolog.registry import Arguments, Run, deterministic
from holdsfor.prolog.unify import resolve, unify
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Struct, Term

__all__: list[str] = []


@deterministic(("write", 1), ("print", 1), ("writeln", 1), ("write_canonical", 1), ("writeq", 1), ("tab", 1), ("nl", 0))
@deterministic(("format", 1), ("format", 2))
def _discard(args: Arguments, run: Run) -> bool:
    return True


@deterministic(("format", 3))
def _format(args: Arguments, run: Run) -> bool:
    """`format(atom(Text), Format, Arguments)`; other sinks swallow what they are given."""
    sink = args[0]
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
    return show(value) if letter == "q" or isinstance(value, Struct) else _plain(value)


def _plain(value: Term) -> str:
    return value.name if isinstance(value, Atom) else show(value)
