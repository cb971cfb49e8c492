"""Files to programs: reading, encodings, and files that consult files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdsfor.errors import Diagnostic, Diagnostics
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Directive, Program
from holdsfor.syntax.source import Source, Span
from holdsfor.syntax.terms import Atom, Str, Struct, Term, list_items

__all__ = ["load_programs", "read_source"]

_SUFFIXES = ("", ".prolog", ".pl")
_CONSULTING = frozenset(["consult", "include", "ensure_loaded", "load_files"])


def read_source(path: Path, diagnostics: Diagnostics, span: Span | None = None) -> Source | None:
    """The text of a file; a file that holds no text is a diagnostic (at `span`, if that asked for the file)."""

    def refuse(message: str, hint: str | None = None) -> Source | None:
        diagnostics.append(Diagnostic("HF101", f"`{path}` {message}", span, hint, None if span else str(path)))
        return None

    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return refuse("not found", _nearby(path))
    except IsADirectoryError:
        return refuse("is a directory, expected a file")
    except OSError as error:
        return refuse(f"cannot be read: {error.strerror or error}")
    if not content.strip():
        return refuse("is empty, expected an event description", "write at least one clause, ending with `.`")
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
    """The programs of the files and of the files they consult, each file once, consulted ones first."""
    programs: list[Program] = []
    seen: set[Path] = set()

    def load(path: Path, span: Span | None) -> None:
        resolved = path.resolve()
        if resolved in seen:
            return
        seen.add(resolved)
        source = read_source(path, diagnostics, span)
        if source is None:
            return
        program = parse_program(source, diagnostics)
        if not program.items and not diagnostics.has_errors:
            diagnostics.append(Diagnostic("HF101", f"`{path}` has no clauses", file=str(path)))
        for directive in program.directives:
            for name, where in _consulted(directive):
                load(_find(path.parent, name), where)
        programs.append(program)

    for path in paths:
        load(path, None)
    return programs


def _find(folder: Path, name: str) -> Path:
    for suffix in _SUFFIXES:
        path = folder / (name + suffix)
        if path.is_file():
            return path
    return folder / name


def _consulted(directive: Directive) -> list[tuple[str, Span | None]]:
    """The files a directive asks for: `:- [a, 'b.pl'].` or `:- consult(a).`; libraries have no effect here."""
    goal = directive.goal
    files: list[Term] = []
    if isinstance(goal, Struct) and goal.name == "[|]":
        files = list_items(goal)[0]
    elif isinstance(goal, Struct) and goal.name in _CONSULTING:
        files = list_items(goal.args[0])[0] or [goal.args[0]]
    return [
        (file.name if isinstance(file, Atom) else file.value, file.span or directive.span)
        for file in files
        if isinstance(file, Atom | Str)
    ]
