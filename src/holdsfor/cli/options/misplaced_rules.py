"""Rule files among the inputs: `run --input events.csv rules.prolog` gives `--input` both names."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["take_rules_from_inputs"]

_RULES = (".prolog", ".pl")


def take_rules_from_inputs(options: argparse.Namespace) -> None:
    """Move the rule files after `--input` to the rules, if no rules are given."""
    inputs = getattr(options, "input", None) or []
    if options.rules or not inputs:
        return
    taken = [name for name in inputs if Path(name).suffix.lower() in _RULES and Path(name).is_file()]
    options.rules = taken
    options.input = [name for name in inputs if name not in taken] or None
