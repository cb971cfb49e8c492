"""The loop of the prompt: a goal, its answers one by one, the next goal.

On a terminal the next answer comes on `;`. Otherwise every line of standard input is a goal, and all its answers are
printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from holdsfor.cli.prompt.answer_files import write_answers
from holdsfor.cli.prompt.answers import answer_lines, is_abbreviated
from holdsfor.cli.prompt.line_editor import LineEditor, line_editor, single_keys
from holdsfor.cli.prompt.suggestions import suggestions
from holdsfor.errors import HoldsforError
from holdsfor.query.goals import is_unfinished
from holdsfor.query.query_engine import QueryEngine
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.terms import Term

__all__ = ["ask"]

_LEAVE = ("halt", "quit", "exit", "bye")
_NEXT, _ALL, _WHOLE, _HELP = ";nr \t", "a", "w", "h?"
_KEYS = "; next answer   a all answers   w whole lists   Enter stop"
_HELP_TEXT = """\
holdsFor(F=V, I)     the maximal intervals I of the fluent-value pair F=V
holdsAt(F=V, T)      whether F=V holds at the time-point T
happensAt(E, T)      the time-points T of the output event E
union_all, intersect_all, relative_complement_all, complement_all, intDurGreater, intDurLess, allen
                     interval operations, as in rules: intersect_all([I1,I2], I)
,  ;  \\+             and, or, not; also predicates of the background knowledge, comparisons and arithmetic
after an answer      {keys}
halt.                leave, also Ctrl-D; Ctrl-C stops a goal
fluents              {fluents}
events               {events}"""


def ask(engine: Callable[[], QueryEngine], *, greeting: str = "", has_messages: bool = False) -> int:
    """Answer goals until the input ends; the exit code.

    `engine` is called for each goal. If other threads print messages, `has_messages` keeps them above the prompt.
    """
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        return _answer_lines_of_input(engine)
    if greeting:
        print(greeting, flush=True)
    _Prompt(engine, line_editor(lambda text: suggestions(text, engine()), has_messages=has_messages)).run()
    return 0


def _answer_lines_of_input(engine: Callable[[], QueryEngine]) -> int:
    """Answer the goals of standard input, one per line; 2 if one of them is an error."""
    code = 0
    for text in _goals(iter(sys.stdin)):
        if _word(text) in _LEAVE:
            break
        try:
            write_answers(engine(), text, "text", None)
        except HoldsforError as problem:
            print(problem.diagnostics.render(), end="\n\n", file=sys.stderr)
            code = 2
    return code


def _goals(lines: Iterator[str]) -> Iterator[str]:
    """The goals of lines. A goal may continue on the next line; comments and empty lines are skipped."""
    text = ""
    for line in lines:
        text += line
        if not text.strip() or text.lstrip().startswith("%"):
            text = ""
        elif not is_unfinished(text):
            yield text.strip()
            text = ""
    if text.strip():
        yield text.strip()


def _word(text: str) -> str:
    return text.strip().removesuffix(".").strip()


@dataclass(frozen=True)
class _Prompt:
    """Goals and answers on a terminal."""

    engine: Callable[[], QueryEngine]
    editor: LineEditor

    def run(self) -> None:
        while True:
            try:
                text = self._goal()
                if text is None:
                    return
                if text:
                    self._answer(text)
            except KeyboardInterrupt:
                print("% interrupted", flush=True)
            except HoldsforError as problem:
                print(problem.diagnostics.render(), flush=True)

    def _goal(self) -> str | None:
        """The next goal, the empty text for an interrupted one, or None at the end."""
        text = ""
        try:
            text = self.editor.read("?- ")
            while is_unfinished(text):
                text += "\n" + self.editor.read("|  ")
        except EOFError:
            print(flush=True)
            return None
        except KeyboardInterrupt:
            return ""
        return None if _word(text) in _LEAVE else text.strip()

    def _answer(self, text: str) -> None:
        engine = self.engine()
        if _word(text) == "help":
            print(_help(engine), flush=True)
            return
        answers = engine.shown(engine.read(text))
        with single_keys() as next_key:
            self._show(answers, next_key)

    def _show(self, answers: Iterator[Mapping[str, Term]], next_key: Callable[[], str]) -> None:
        """Show answers one by one. The first is shown before the second is computed."""
        answer = next(answers, None)
        is_all = False
        if answer is None:
            print("false.", flush=True)
        while answer is not None:
            print(answer_lines(answer, is_whole=is_all), end="", flush=True)
            following = next(answers, None)
            if following is None and (is_all or not is_abbreviated(answer)):
                print(".", flush=True)
                return
            choice = "next" if is_all else _choice(answer, next_key, has_more=following is not None)
            if choice == "stop":
                print(".", flush=True)
                return
            print(" ;", flush=True)
            is_all = is_all or choice == "all"
            answer = following


def _choice(answer: Mapping[str, Term], next_key: Callable[[], str], *, has_more: bool) -> str:
    """The choice after an answer: `next`, `all` or `stop`."""
    while True:
        key = next_key()
        if key and key in _WHOLE:
            print(f"\n{answer_lines(answer, is_whole=True)}", end="", flush=True)
        elif key and key in _HELP:
            print(f"\n{_KEYS}", flush=True)
        elif has_more and key and key in _NEXT:
            return "next"
        else:
            return "all" if has_more and key == _ALL else "stop"


def _help(engine: QueryEngine) -> str:
    fluents, events = (
        ", ".join(show_indicator(*key) for key in keys) or "none"
        for keys in (engine.known.fluents, engine.known.events)
    )
    return _HELP_TEXT.format(keys=_KEYS, fluents=fluents, events=events)
