"""`holdsfor check`: report the errors and warnings in rules, without data."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from holdsfor.analysis.pipeline import analyse
from holdsfor.cli.options.arguments import Commands, add_command, add_rule_files
from holdsfor.errors import Diagnostics
from holdsfor.syntax.load import load_programs

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "check",
        "report the errors and warnings in the rules",
        "holdsfor check rules.prolog background.prolog",
    )
    add_rule_files(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object for each diagnostic, for editors")
    parser.add_argument(
        "--without", action="append", default=[], metavar="NAME", help="switch off a lint; may be repeated"
    )
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    diagnostics = Diagnostics()
    analyse(load_programs([Path(file) for file in options.rules], diagnostics), diagnostics, options.without)
    if options.json:
        for diagnostic in diagnostics.in_order():
            print(json.dumps(diagnostic.to_json(), ensure_ascii=False))
    else:
        if len(diagnostics):
            print(diagnostics.render(), end="\n\n")
        print(_summary(diagnostics))
    return 2 if diagnostics.has_errors else 0


def _summary(diagnostics: Diagnostics) -> str:
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    parts = [f"{n} {kind}{'s' if n > 1 else ''}" for kind in ("error", "warning", "note") if (n := counts[kind])]
    return ", ".join(parts) if parts else "no errors, no warnings"
