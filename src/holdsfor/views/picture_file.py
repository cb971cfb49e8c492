"""The file of a picture: its formats, and the error if it cannot be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.beside import is_replaceable, written_beside

__all__ = ["check_suffix", "write_picture"]


def check_suffix(path: Path, known: Sequence[str]) -> str:
    """The suffix of `path` in lower case, if it is a known one.

    >>> check_suffix(Path("day.SVG"), [".png", ".svg"])
    '.svg'
    """
    suffix = path.suffix.lower()
    if suffix not in known:
        found = f"`{path.suffix}`" if path.suffix else "no suffix"
        raise UsageProblem(
            Diagnostic(
                "HF750",
                f"unknown picture format of `{path.name}`: expected {_one_of(known)}, found {found}",
                hint=f"the suffix of the file determines the format: {', '.join(known)}",
                file=str(path),
            )
        )
    return suffix


def write_picture(path: Path, content: bytes) -> None:
    """Write the file, whole or not at all, and create its directories."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not is_replaceable(path):
            path.write_bytes(content)
            return
        with written_beside(path) as file:
            file.path.write_bytes(content)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageProblem(
            Diagnostic("HF754", f"cannot write the picture `{path.name}`: {reason}", file=str(path))
        ) from problem


def _one_of(choices: Sequence[str]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"
