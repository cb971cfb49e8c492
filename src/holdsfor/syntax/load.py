"""Load rule files: encodings, and files that consult other files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from holdsfor.errors import Diagnostic, Diagnostics
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Directive, Program
from holdsfor.syntax.source import Source, Span, read_bounded_lines
from holdsfor.syntax.terms import Atom, Struct, Term, list_items

__all__ = ["load_programs", "read_source"]

_SUFFIXES = ("", ".prolog", ".pl")
_COMPILED = re.compile(
    r"^(?!\s*%)(?:[^\n%'\"]*[\s,(])?"
    r"(?P<name>happensAtIE|holdsForSDFluent|(?:happensAt|holdsAt|holdsFor)Processed\w*)\(.*(?:,|:-|\.)\s*$",
    re.MULTILINE,
)
"""A line of a clause that only RTEC's compiler writes."""
_CONSULTING = frozenset(["consult", "include", "ensure_loaded", "load_files"])


def read_source(path: Path, diagnostics: Diagnostics, span: Span | None = None) -> Source | None:
    """The text of a file; a file without text is reported as a diagnostic, at `span` if a directive names the file."""

    def refuse(message: str, hint: str | None = None) -> Source | None:
        diagnostics.append(Diagnostic("HF101", f"`{path}` {message}", span, hint, None if span else str(path)))
        return None

    try:
        content = read_bounded_lines(path)
    except FileNotFoundError:
        return refuse("not found", _nearby(path))
    except IsADirectoryError:
        return refuse("is a directory, expected a file")
    except (OSError, ValueError) as error:
        return refuse(f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if b"\0" in content[:4096]:
        return refuse("is a binary file, expected text", "rules are UTF-8 text")
    try:
        return Source(str(path), content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return refuse(f"is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}", "save it as UTF-8")


def _nearby(path: Path) -> str | None:
    folder = path.parent
    if not folder.is_dir():
        return f"the folder `{folder}` does not exist"
    names = sorted(p.name for p in folder.iterdir() if p.suffix in (".prolog", ".pl"))[:5]
    return f"the folder has {', '.join(f'`{name}`' for name in names)}" if names else None


def load_programs(paths: Iterable[Path], diagnostics: Diagnostics) -> list[Program]:
    """The programs of the files and of the files that they consult, each file once, consulted files first.

    A file may consult files below its own folder and files among `paths`. Other files are refused, so that a rule file
    from an unknown source cannot read arbitrary files.
    """
    programs: list[Program] = []
    seen: set[Path] = set()
    waiting: list[_Wanted | Program] = [_Wanted(path, None) for path in reversed(list(paths))]
    named = {_resolved(item.path) for item in waiting if isinstance(item, _Wanted)}
    while waiting:
        item = waiting.pop()
        if isinstance(item, Program):
            programs.append(item)
            continue
        if not _is_within_reach(item, named, diagnostics):
            continue
        program = _load(item, seen, diagnostics)
        if program is not None:
            folder = item.path.parent
            consulted = [file for directive in program.directives for file in _consulted(directive)]
            waiting.append(program)
            waiting += [_Wanted(_find(folder, name), span, folder) for name, span in reversed(consulted)]
    return programs


@dataclass(frozen=True)
class _Wanted:
    """A file to load, the directive that consults it and the folder of that directive."""

    path: Path
    span: Span | None
    folder: Path | None = None


def _resolved(path: Path) -> Path:
    """The path without links and `..`; a path that cannot be resolved is returned unchanged."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path


def _is_within_reach(wanted: _Wanted, named: set[Path], diagnostics: Diagnostics) -> bool:
    """Whether a file may be loaded; a refusal is reported as a diagnostic."""
    path = _resolved(wanted.path)
    if wanted.folder is None or path in named or path.is_relative_to(_resolved(wanted.folder)):
        return True
    message = f"`{wanted.path}` is outside the folder of the file that consults it"
    hint = "name the file on the command line, or move it below that folder"
    diagnostics.append(Diagnostic("HF118", message, wanted.span, hint, None if wanted.span else str(wanted.path)))
    return False


def _load(wanted: _Wanted, seen: set[Path], diagnostics: Diagnostics) -> Program | None:
    resolved = _resolved(wanted.path)
    if resolved in seen:
        return None
    seen.add(resolved)
    source = read_source(wanted.path, diagnostics, wanted.span)
    if source is None or _is_compiled(source, diagnostics):
        return None
    n_before = len(diagnostics)
    program = parse_program(source, diagnostics)
    if not program.items and len(diagnostics) == n_before:
        message = f"`{wanted.path}` has no clauses"
        diagnostics.append(Diagnostic("HF393", message, wanted.span, None, source.name))
    return program


def _is_compiled(source: Source, diagnostics: Diagnostics) -> bool:
    """Whether a file is the output of RTEC's compiler, which is reported as an error."""
    may_be = any(mark in source.text for mark in ("happensAtIE(", "holdsForSDFluent(", "Processed"))
    found = _COMPILED.search(source.text) if may_be else None
    if found is not None:
        message = f"`{source.name}` is the output of RTEC's compiler"
        hint = "give the event description that it was compiled from, such as `rules.prolog`"
        diagnostics.add("HF217", message, Span(source, found.start("name"), found.end("name")), hint)
    return found is not None


def _find(folder: Path, name: str) -> Path:
    for suffix in _SUFFIXES:
        path = folder / (name + suffix)
        try:
            if path.is_file():
                return path
        except (OSError, ValueError):
            break
    return folder / name


def _consulted(directive: Directive) -> list[tuple[str, Span | None]]:
    """The files that a directive names: `:- [a, 'b.pl'].` or `:- consult(a).`; libraries are ignored."""
    goal = directive.goal
    files: list[Term] = []
    if isinstance(goal, Struct) and goal.name == "[|]":
        files = list_items(goal)[0]
    elif isinstance(goal, Struct) and goal.name in _CONSULTING:
        files = list_items(goal.args[0])[0] or [goal.args[0]]
    return [(file.name, file.span or directive.span) for file in files if isinstance(file, Atom)]
