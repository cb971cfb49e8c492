"""The programs that options add to the rule files: tables of facts, areas, and the output to show."""

from __future__ import annotations

import argparse

from holdsfor.cli.options.facts import fact_programs
from holdsfor.syntax.output_selectors import output_program
from holdsfor.syntax.program import Program

__all__ = ["added_programs"]


def added_programs(options: argparse.Namespace) -> list[Program]:
    """The programs of `--facts`, `--areas` and `--show`."""
    shown = [output_program(options.show, "--show")] if options.show else []
    return [*fact_programs(options), *shown]
