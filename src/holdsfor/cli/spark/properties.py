"""Files with settings that must not be seen in the list of processes: passwords, and headers with tokens."""

from __future__ import annotations

import os
from pathlib import Path

from holdsfor.errors import Diagnostic, UsageProblem

__all__ = ["database_properties", "read_properties"]

_ENVIRONMENT = {"user": "HOLDSFOR_JDBC_USER", "password": "HOLDSFOR_JDBC_PASSWORD"}


def database_properties(path: str | None) -> dict[str, str]:
    """Connection properties of a database, from the environment, then from a file of `name=value` lines."""
    found = {name: os.environ[variable] for name, variable in _ENVIRONMENT.items() if variable in os.environ}
    return {**found, **read_properties(path, "the properties of the database")}


def read_properties(path: str | None, what: str, separator: str = "=") -> dict[str, str]:
    """The lines `name=value` of a file, without empty lines and comments. Messages never have the content of a line."""
    if path is None:
        return {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "not UTF-8 text"
        raise UsageProblem(Diagnostic("HF781", f"{what} cannot be read: {reason}", file=path)) from None
    found = {}
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line and not line.startswith("#"):
            name, found_separator, value = line.partition(separator)
            if not found_separator or not name.strip():
                message = f"expected `name{separator}value` in line {number} of {what}"
                raise UsageProblem(Diagnostic("HF781", message, file=path))
            found[name.strip()] = value.strip()
    return found
