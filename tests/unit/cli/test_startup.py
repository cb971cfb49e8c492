"""A command imports a large library only when it needs the library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.processes import environment, rules

HEAVY = ("numpy", "pyarrow", "pandas", "matplotlib", "pyspark")
PROGRAM = """
import sys
from holdsfor.cli.main import main
main(sys.argv[2:])
print(*[name for name in sys.argv[1].split(",") if name in sys.modules], file=sys.stderr)
"""


def imported(arguments: list[str]) -> list[str]:
    """The large libraries that a command has imported at its end."""
    command = [sys.executable, "-c", PROGRAM, ",".join(HEAVY), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize("command", ["check", "plan", "graph"])
def test_commands_about_rules_import_no_large_library(command: str, tmp_path: Path) -> None:
    assert imported([command, rules(tmp_path)]) == []


@pytest.mark.parametrize("command", ["run", "spark run", "spark prepare"])
def test_an_incomplete_command_line_is_refused_before_large_libraries_are_imported(command: str) -> None:
    assert imported(command.split()) == []


def test_a_run_imports_neither_spark_nor_plotting(tmp_path: Path) -> None:
    records = tmp_path / "events.txt"
    records.write_text("switch_on|1|1|l1\n", encoding="utf-8")
    assert not {"pyspark", "matplotlib"} & {*imported(["run", rules(tmp_path), "--input", str(records)])}
