"""The file a picture goes to: which forms there are, and what is said when it cannot be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdsfor.errors import Diagnostic, UsageProblem

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
                f"cannot tell how to draw `{path.name}`: expected {_one_of(known)}, found {found}",
                hint=f"the end of the file name decides: {', '.join(known)}",
                file=str(path),
            )
        )
    return suffix


def write_picture(path: Path, content: bytes) -> None:
    """Writes the file, with the directories it lies in."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageProblem(
            Diagnostic("HF754", f"cannot write the picture `{path.name}`: {reason}", file=str(path))
        ) from problem


def _one_of(choices: Sequence[str]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"
