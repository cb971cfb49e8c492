"""`holdsfor check`: report the errors and warnings in rules, alone or compared with data."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from holdsfor.analysis.pipeline import Compiled, analyse
from holdsfor.cli.options.arguments import Commands, add_command, add_rule_files
from holdsfor.cli.options.facts import fact_programs
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.column_mapping import described_fluents
from holdsfor.sources.input_files import files_of_inputs
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
    parser.add_argument(
        "--spark", action="store_true", help="warn of rules that one worker computes, on Spark and with `run --jobs`"
    )
    parser.add_argument(
        "--input",
        nargs="+",
        default=[],
        metavar="INPUT",
        help="compare the rules with records: FILE or 'FILE: columns'",
    )
    parser.add_argument(
        "--facts",
        nargs="+",
        default=[],
        metavar="FACTS",
        help="table with a fact for each row: 'FILE: predicate(column, …)'",
    )
    parser.add_argument(
        "--areas",
        nargs="+",
        default=[],
        metavar="FILE",
        help="areas for `in_area` and `near_area`: FILE or 'FILE: name'",
    )
    parser.set_defaults(execute=execute, time_unit="s")


def execute(options: argparse.Namespace) -> int:
    diagnostics = Diagnostics()
    programs = [*load_programs([Path(file) for file in options.rules], diagnostics), *fact_programs(options)]
    options.input = files_of_inputs(options.input)
    compiled = analyse(programs, diagnostics, options.without, described_fluents(options.input))
    if options.spark and compiled is not None and not diagnostics.has_errors:
        for diagnostic in _one_bucket(compiled):
            diagnostics.append(diagnostic)
    if options.input and compiled is not None:
        for diagnostic in _differences(compiled, options.input):
            diagnostics.append(diagnostic)
    if options.json:
        for diagnostic in diagnostics.in_order():
            print(json.dumps(diagnostic.to_json(), ensure_ascii=False))
    else:
        if len(diagnostics):
            print(diagnostics.render(), end="\n\n")
        print(_summary(diagnostics))
    return 2 if diagnostics.has_errors else 0


def _differences(compiled: Compiled, inputs: list[str]) -> list[Diagnostic]:
    """The differences between rules and records; an input that cannot be read is an error."""
    from holdsfor.columns.encoding import Symbols
    from holdsfor.sources.input_columns import input_columns
    from holdsfor.sources.input_comparison import compare_with_input
    from holdsfor.sources.inputs import read_inputs
    from holdsfor.sources.number_checks import refuse_conflicts

    symbols = Symbols()
    try:
        refuse_conflicts(compiled.names, input_columns(inputs, compiled.names))
        reading = read_inputs(inputs, compiled.names, 1, symbols)
    except DataProblem as problem:
        return list(problem.diagnostics)
    return list(compare_with_input(compiled, reading, symbols))


def _one_bucket(compiled: Compiled) -> list[Diagnostic]:
    from holdsfor.distribution.one_bucket import one_bucket_warnings
    from holdsfor.distribution.stages import plan_stages
    from holdsfor.runtime.session import EngineSession

    return one_bucket_warnings(plan_stages(compiled, EngineSession(compiled, start=0).rules.program))


def _summary(diagnostics: Diagnostics) -> str:
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    parts = [f"{n} {kind}{'s' if n > 1 else ''}" for kind in ("error", "warning", "note") if (n := counts[kind])]
    return ", ".join(parts) if parts else "no errors, no warnings"
