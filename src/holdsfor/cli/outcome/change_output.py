"""The feed of changes of a run: `--changes`, beside the answer."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.outcome.answer import announce_incomplete, check_table_set, is_table_set
from holdsfor.cli.terminal.wait_notices import notify_waiting
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.change_feed import ChangeFeed
from holdsfor.sinks.writers import TABLES, check_output, check_suffix, format_of, opened

__all__ = ["check_changes", "check_feed_tables", "opened_feed"]

_STANDARD_OUTPUT = "/dev/stdout"
_NO_FORMAT = ("", ".fifo", ".pipe")


def check_changes(options: argparse.Namespace) -> None:
    """Complete the format of the feed, and refuse a feed that cannot be written.

    The suffix of the file is its format; a file or pipe without a suffix has the format of the answer.
    """
    options.changes_format = None
    if options.changes is None:
        return
    if options.changes == "-":
        options.changes = _STANDARD_OUTPUT
    if options.changes == _STANDARD_OUTPUT and options.output is None:
        hint = "give a file for one of them, such as `-o answer.jsonl`"
        message = "the answer and its changes would both go to standard output"
        raise UsageProblem(Diagnostic("HF732", message, hint=hint))
    check_suffix(options.changes)
    follows_answer = Path(options.changes).suffix.lower() in _NO_FORMAT and options.format not in (*TABLES, "duckdb")
    form = format_of(options.changes)
    options.changes_format = options.format if form == "text" and follows_answer else form
    check_output(options.changes_format, options.changes)
    if options.checkpoint is not None and options.changes_format in TABLES:
        message = f"changes as {options.changes_format} cannot be continued from a checkpoint"
        raise UsageProblem(Diagnostic("HF706", message, hint="write text, JSON lines or CSV"))


def check_feed_tables(options: argparse.Namespace, compiled: Compiled) -> None:
    """Refuse several tables for the changes of a live run, and folders with other files."""
    if options.changes is not None:
        check_table_set(options.changes, options.changes_format, compiled, is_live=options.live)


@contextmanager
def opened_feed(engine: Engine) -> Iterator[None]:
    """The feed of a run, open while the run goes on."""
    options = engine.options
    if options.changes is None:
        yield
        return
    form, path, continues = options.changes_format, options.changes, engine.continues
    layouts = partial(_layouts, engine)
    if is_table_set(form, path):
        with ChangeFeed(form, path, lambda: engine.shown, layouts) as feed:
            engine.feed = feed
            yield
            feed.complete(is_complete=not engine.stop.is_asked)
        announce_incomplete(feed.files)
        return
    on_waiting, is_feed = partial(notify_waiting, engine.log, "a reader"), options.live or options.replay is not None
    with opened(path, form, on_waiting, continues=continues, is_feed=is_feed) as output:
        with ChangeFeed(form, output.file, lambda: engine.shown, layouts, continues=continues) as feed:
            engine.feed = feed
            yield
            feed.complete(is_complete=True)
        if output.beside is not None:
            output.beside.is_complete = not engine.stop.is_asked
    announce_incomplete([] if output.beside is None else [output.beside])


def _layouts(engine: Engine) -> list[object]:
    return list(engine.result_columns)
