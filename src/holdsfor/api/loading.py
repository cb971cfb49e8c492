"""Rules of files and of text, and terms, for the library."""

from __future__ import annotations

from pathlib import Path

from holdsfor.analysis.pipeline import compile_files, compile_text
from holdsfor.api.rules import RuleSet, rule_set
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Term

__all__ = ["load", "load_text", "term"]


def load(*files: str | Path) -> RuleSet:
    """The rules and background knowledge of files; errors raise with all diagnostics.

    >>> import holdsfor as hf
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rules.prolog"
    ...     _ = file.write_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    ...     rules = hf.load(file)
    >>> hf.recognise(rules, hf.Event("win", "chris", at=13)).holds_for("rich(chris)=true")
    [(14, None)]
    """
    return rule_set(compile_files(files))


def load_text(text: str) -> RuleSet:
    """Rules given as text; errors raise with all diagnostics.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> hf.recognise(rules, hf.Event("win", "chris", at=13)).holds_for("rich(chris)=true")
    [(14, None)]
    """
    return rule_set(compile_text(text))


def term(text: str) -> Term:
    """A term in the syntax of rules, for an argument or a value that is neither text nor a number.

    >>> from holdsfor.syntax.printer import show
    >>> show(term("per(close_ballot(c1, m1))"))
    'per(close_ballot(c1,m1))'
    """
    return parse_term(text)
