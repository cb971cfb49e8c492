"""Lines and keys that people type: with prompt_toolkit if it is installed, else with `input`."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

__all__ = ["LineEditor", "history_file", "line_editor", "single_keys"]

Complete = Callable[[str], tuple[str, list[str]]]


class LineEditor(Protocol):
    """Reads lines from a terminal. The end of the input is an `EOFError`, Ctrl-C a `KeyboardInterrupt`."""

    def read(self, prompt: str) -> str:
        """The next line."""


def line_editor(complete: Complete, *, has_messages: bool = False) -> LineEditor:
    """The editor of this terminal. With `has_messages`, text of other threads does not break the line being typed."""
    if importlib.util.find_spec("prompt_toolkit") is not None:
        return _Toolkit(complete, has_messages=has_messages)
    return _Plain()


def history_file() -> Path | None:
    """The file with the goals of earlier sessions; None if it cannot be written.

    The file is `holdsfor/history` in `XDG_STATE_HOME`, by default `~/.local/state`.
    """
    try:
        base = os.environ.get("XDG_STATE_HOME")
        file = (Path(base) if base else Path.home() / ".local" / "state") / "holdsfor" / "history"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8"):
            return file
    except (OSError, RuntimeError):
        return None


class _Plain:
    """Lines from `input`, which edits lines if Python has the module readline."""

    def __init__(self) -> None:
        if importlib.util.find_spec("readline") is not None:
            importlib.import_module("readline")

    def read(self, prompt: str) -> str:
        return input(prompt)


class _Toolkit:
    """Lines with history, completion and editing."""

    def __init__(self, complete: Complete, *, has_messages: bool) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        self._has_messages = has_messages
        file = history_file()
        history = InMemoryHistory() if file is None else FileHistory(str(file))
        self._session: Any = PromptSession(
            history=history, completer=_completer(complete), complete_while_typing=False, enable_history_search=True
        )

    def read(self, prompt: str) -> str:
        from prompt_toolkit.patch_stdout import patch_stdout

        with patch_stdout(raw=True) if self._has_messages else nullcontext():
            line: str = self._session.prompt(prompt)
        return line


def _completer(complete: Complete) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class _GoalCompleter(Completer):  # type: ignore[misc, unused-ignore]
        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Any]:
            word, found = complete(document.text_before_cursor)
            yield from (Completion(each, start_position=-len(word)) for each in found)

    return _GoalCompleter()


@contextmanager
def single_keys() -> Iterator[Callable[[], str]]:
    """A function that reads the next key without waiting for a line; the empty text at the end of the input.

    Keys that are typed within the context are not shown.
    """
    import termios
    import tty

    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    try:
        tty.setcbreak(stdin, termios.TCSADRAIN)
        yield lambda: os.read(stdin, 1).decode(errors="replace")
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)
