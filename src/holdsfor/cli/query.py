"""`holdsfor query`: answer goals over the results of an earlier run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.output_files import refuse_overwriting
from holdsfor.sinks.writers import FORMATS, check_output, format_of

if TYPE_CHECKING:
    from holdsfor.query.query_engine import QueryEngine

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "query",
        "answer goals over the results of an earlier run",
        "holdsfor query results.parquet 'holdsAt(F, 16)' --format csv",
    )
    parser.add_argument("results", metavar="RESULTS", help="file or folder that `holdsfor run -o` has written")
    parser.add_argument("goal", nargs="?", metavar="GOAL", help="goal to answer (default: a prompt, or standard input)")
    parser.add_argument(
        "--background", nargs="+", action="extend", default=[], metavar="FILE", help="rules and background knowledge"
    )
    parser.add_argument("--at", type=int, metavar="TIME", help="query time, if the results have several")
    parser.add_argument("--start", type=int, metavar="TIME", help="first time-point of the run, for `complement_all`")
    parser.add_argument("--end", type=int, metavar="TIME", help="last time-point of the run, for open intervals")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance between time-points (default: 1)")
    parser.add_argument("--format", choices=FORMATS, help="format of the answers (default: by the suffix, else text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="file for the answers (default: standard output)")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    form = options.format or format_of(options.output)
    _check(options, form)
    from holdsfor.cli.prompt.answer_files import write_answers
    from holdsfor.cli.prompt.prompt import ask

    engine = _engine(options)
    if options.goal is None:
        return ask(lambda: engine, greeting=f"results of {options.results}; `help.` shows what to ask")
    write_answers(engine, options.goal, form, options.output)
    return 0


def _check(options: argparse.Namespace, form: str) -> None:
    if options.goal is None and (options.output is not None or options.format is not None):
        raise UsageProblem(Diagnostic("HF704", "`query` has no goal to write", hint="give a goal after the results"))
    check_output(form, options.output)
    if options.tick < 1:
        raise UsageProblem(Diagnostic("HF701", f"the clock tick is {options.tick}, expected at least 1"))
    refuse_overwriting({"--output": [options.output]}, [options.results, *options.background])


def _engine(options: argparse.Namespace) -> QueryEngine:
    from holdsfor.analysis.pipeline import compile_files
    from holdsfor.query.query_engine import QueryEngine
    from holdsfor.query.result_files import read_results
    from holdsfor.query.result_index import RunSettings

    rules = compile_files(options.background) if options.background else None
    settings = RunSettings(options.start, options.end, options.tick)
    return QueryEngine(read_results(options.results, at=options.at, settings=settings), rules)
