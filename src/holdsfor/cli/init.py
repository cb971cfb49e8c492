"""`holdsfor init`: a small project that runs at once."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.errors import Diagnostic, UsageProblem, printable
from holdsfor.sinks.output_files import naming

__all__ = ["add_parser"]

_RULES = """\
% A machine is hot from a reading above 80 degrees on, up to a reading of 70 degrees or less.
initiatedAt(hot(Machine)=true, T) :-
    happensAt(temperature(Machine, Celsius), T),
    Celsius > 80.
terminatedAt(hot(Machine)=true, T) :-
    happensAt(temperature(Machine, Celsius), T),
    Celsius =< 70.

% Operators acknowledge machines one by one.
initiatedAt(acknowledged(Machine)=true, T) :-
    happensAt(acknowledge(Machine), T).
terminatedAt(acknowledged(Machine)=true, T) :-
    happensAt(end(hot(Machine)=true), T).

% An alarm: hot for more than ten minutes (600 seconds), until an operator acknowledges it.
holdsFor(alarm(Machine)=true, I) :-
    holdsFor(hot(Machine)=true, Hot),
    intDurGreater(Hot, 600, Long),
    holdsFor(acknowledged(Machine)=true, Acknowledged),
    relative_complement_all(Long, [Acknowledged], I).
"""

_READINGS = """\
machine,celsius,ts
press,64,2026-03-02T08:00:00Z
press,83,2026-03-02T08:05:00Z
lathe,81,2026-03-02T08:06:00Z
lathe,69,2026-03-02T08:11:00Z
press,86,2026-03-02T08:15:00Z
press,78,2026-03-02T08:25:00Z
press,66,2026-03-02T08:40:00Z
"""

_OPERATORS = """\
machine,ts
press,2026-03-02T08:30:00Z
"""

_CONFIG = """\
# `holdsfor run --config holdsfor.toml` reads these options; the command line has precedence.
rules = ["rules.prolog"]
input = [
    "readings.csv: happensAt(temperature(machine, celsius), ts)",
    "operators.csv: happensAt(acknowledge(machine), ts)",
]
times = "iso"
"""

_TEST = '''\
"""Tests of the rules, each with a few records. Run them with `python -m pytest`, or as a program."""

from pathlib import Path

import holdsfor as hf

RULES = hf.load(Path(__file__).parent / "rules.prolog")


def test_an_alarm_needs_more_than_ten_minutes() -> None:
    long = [hf.Event("temperature", "press", 85, at=0), hf.Event("temperature", "press", 60, at=700)]
    assert hf.recognise(RULES, long).holds_for("alarm(press)=true") == [(1, 701)]
    short = [hf.Event("temperature", "press", 85, at=0), hf.Event("temperature", "press", 60, at=500)]
    assert hf.recognise(RULES, short).holds_for("alarm(press)=true") == []


def test_an_acknowledged_alarm_ends() -> None:
    records = [
        hf.Event("temperature", "press", 85, at=0),
        hf.Event("acknowledge", "press", at=650),
        hf.Event("temperature", "press", 60, at=900),
    ]
    assert hf.recognise(RULES, records).holds_for("alarm(press)=true") == [(1, 651)]


if __name__ == "__main__":
    test_an_alarm_needs_more_than_ten_minutes()
    test_an_acknowledged_alarm_ends()
    print("the rules pass their tests")
'''

_README = """\
# Machines that run hot

`rules.prolog` describes when a machine is hot, and when that is an alarm. `readings.csv` and `operators.csv` are a
morning of sample data, and `holdsfor.toml` names all of these.

    holdsfor check rules.prolog                                  # errors and warnings in the rules
    holdsfor run --config holdsfor.toml                          # the results as text
    holdsfor run --config holdsfor.toml -o results.csv           # as a table; also .parquet, .jsonl
    holdsfor run --config holdsfor.toml --timeline day.png       # as a picture
    holdsfor run --config holdsfor.toml --interactive            # ask: holdsFor(alarm(M)=true, I).
    python test_rules.py                                         # the tests of the rules

To continue with your own data, change the file names and the columns in `holdsfor.toml`: the words in
`happensAt(temperature(machine, celsius), ts)` are columns of the file.
"""

_FILES = {
    "rules.prolog": _RULES,
    "readings.csv": _READINGS,
    "operators.csv": _OPERATORS,
    "holdsfor.toml": _CONFIG,
    "test_rules.py": _TEST,
    "README.md": _README,
}


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands, "init", "write a small project: rules, sample data, a configuration and a test", "holdsfor init hot"
    )
    parser.add_argument("folder", metavar="DIR", help="folder of the project; it is created, or must be empty")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    _refuse_other_content(folder)
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in _FILES.items():
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(content)
    print(printable(f"wrote {', '.join(_FILES)} to {folder}"), file=sys.stderr)
    print(printable(f"run it: cd {shlex.quote(str(folder))} && holdsfor run --config holdsfor.toml"), file=sys.stderr)
    return 0


def _refuse_other_content(folder: Path) -> None:
    """Refuse a folder with files, and a file."""
    if folder.is_dir() and any(folder.iterdir()):
        message = f"the folder `{folder}` is not empty"
    elif folder.exists() and not folder.is_dir():
        message = f"`{folder}` is a file, expected a folder"
    else:
        return
    raise UsageProblem(Diagnostic("HF736", message, hint="give a new folder"))
