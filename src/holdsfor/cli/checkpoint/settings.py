"""The options on which the output of a live run depends: a run that continues must have the same."""

from __future__ import annotations

import argparse
from typing import Any

from holdsfor.errors import Diagnostic, UsageProblem

__all__ = ["HINT", "check_settings", "settings_of"]

_COMPARED = (
    "input",
    "input_format",
    "time_unit",
    "tick",
    "start",
    "end",
    "window",
    "step",
    "allen_memory",
    "follow",
    "clock",
    "rate",
    "report",
    "output",
    "changes",
    "format",
    "times",
    "tz",
    "set_aside",
    "log",
    "show",
)


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """The options that must not change, as JSON."""
    return {name: getattr(options, name) for name in _COMPARED} | {"show": sorted(options.show) or None}


def check_settings(found: dict[str, Any], expected: dict[str, Any], folder: str) -> None:
    """Refuse a checkpoint of a run with other options."""
    for name in _COMPARED:
        if found.get(name) != expected[name]:
            theirs, ours = _shown(name, found.get(name)), _shown(name, expected[name])
            message = f"the checkpoint in `{folder}` is of a run {theirs}, and this run is {ours}"
            raise UsageProblem(Diagnostic("HF707", message, hint=HINT))


HINT = "continue with the same command, or give another folder to start a new run"


def _shown(name: str, value: Any) -> str:
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return f"without `{flag}`"
    return f"with `{' '.join([flag, *map(str, value)]) if isinstance(value, list) else f'{flag} {value}'}`"
