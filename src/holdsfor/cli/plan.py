"""`holdsfor plan`: what the compiler made of the rules, stage by stage."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.analysis.safety import show_safety
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.syntax.printer import show_program

__all__ = ["STAGES", "add_parser"]


def _spark_stages(compiled: Compiled) -> str:
    from holdsfor.physical.stages import plan_stages
    from holdsfor.runtime.session import Session

    return str(plan_stages(compiled, Session(compiled, start=0).program))


STAGES: dict[str, Callable[[Compiled], str]] = {
    "ast": lambda compiled: "".join(show_program(program) for program in compiled.programs),
    "names": lambda compiled: str(compiled.names),
    "safety": lambda compiled: show_safety(compiled.description),
    "graph": lambda compiled: str(compiled.graph),
    "levels": lambda compiled: str(compiled.levels),
    "spark": _spark_stages,
}


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "plan",
        "show what the compiler made of the rules",
        "holdsfor plan rules.prolog background.prolog --stage levels",
    )
    add_rule_files(parser)
    parser.add_argument("--stage", choices=STAGES, default="levels", help="which stage to show (default: levels)")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    print(STAGES[options.stage](compile_files(options.files)), end="")
    return 0
