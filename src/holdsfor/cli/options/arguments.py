"""What the commands have in common: how they are described and how rule files are given."""

from __future__ import annotations

import argparse
from typing import TypeAlias

__all__ = ["Commands", "add_command", "add_rule_files"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(commands: Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """A command whose `--help` ends with an example."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_rule_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="rules and background knowledge")
