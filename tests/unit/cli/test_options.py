"""Options are declared once: the command line, the configuration file and the commands agree."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from holdsfor.cli.main import command_line, main
from holdsfor.cli.options.config import fill_in
from holdsfor.cli.options.declarations import CONFIGURABLE, KEYS, OPTIONS, Command, Kind, Option, options_of
from holdsfor.cli.options.durations import PER_SECOND
from holdsfor.cli.options.rtec_parameters import PARAMETERS
from holdsfor.cli.options.toml_values import EXPECTED
from holdsfor.cli.plan import STAGES
from holdsfor.sources.formats import Format
from holdsfor.sources.times import Unit

NOT_IN_FILES = {"interactive", "config", "app", "stage", "without", "analyse"}
"""The file itself, and what a single call of `plan` shows."""

SAMPLES: dict[Kind, list[str]] = {
    "path": ["some.json"],
    "paths": ["one.prolog", "two.prolog"],
    "place": ["folder"],
    "inputs": ["one.csv: happensAt(e(x), t)", "two.csv"],
    "facts": ["one.csv: fact(x)", "two.csv: other(x)"],
    "areas": ["one.geojson", "two.csv"],
    "text": ["some text"],
    "texts": ["first", "second"],
    "time": ["-7"],
    "duration": ["2h"],
    "duration or none": ["none"],
    "integer": ["3"],
    "rate": ["0.5"],
    "bytes": ["500MB"],
}
CASES = [
    pytest.param(command, option, id=f"{command} {option.name}")
    for command in CONFIGURABLE
    for option in options_of(command)
    if option.is_key
]


def sample(option: Option) -> list[str]:
    """Values that an option can have."""
    if option.choices:
        return [*option.choices] if option.is_list else [option.choices[-1]]
    return SAMPLES[option.kind]


def on_command_line(option: Option) -> list[str]:
    """The samples as arguments."""
    if option.kind == "flag":
        return [option.flag]
    if option.is_positional:
        return sample(option)
    if option.takes_several:
        return [option.flag, *sample(option)]
    return [f"{option.flag}={value}" for value in sample(option)]


def in_toml(option: Option) -> str:
    """The samples as a line of a configuration file."""
    if option.kind == "flag":
        return f"{option.name} = true"
    if option.kind in ("integer", "rate"):
        return f"{option.name} = {sample(option)[0]}"
    return f"{option.name} = {json.dumps(sample(option) if option.is_list else sample(option)[0])}"


def required_by(command: Command, *, besides: str = "") -> list[str]:
    """Arguments for the required options of a command."""
    needed = [option for option in options_of(command) if option.required and option.name != besides]
    needed.sort(key=lambda option: not option.is_positional)
    return [argument for option in needed for argument in on_command_line(option)]


def completed(command: Command, arguments: list[str]) -> argparse.Namespace:
    """The options after the configuration file and the defaults have been applied."""
    options = command_line().parse_args([*command.split(), *arguments])
    fill_in(options, command)
    return options


def configuration(text: str, path: str = "app.toml") -> list[str]:
    """The arguments that read a new configuration file."""
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return ["--config", path]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_command_has_one_declaration_of_an_option() -> None:
    declared = Counter((command, option.name) for option in OPTIONS for command in option.commands)
    assert set(declared.values()) == {1}


def test_every_option_is_a_key_of_the_configuration_file_unless_listed() -> None:
    assert {option.name for option in OPTIONS if not option.is_key} == NOT_IN_FILES


@pytest.mark.parametrize(("command", "option"), CASES)
def test_the_file_sets_an_option_as_the_command_line_does(command: Command, option: Option) -> None:
    required = required_by(command, besides=option.name)
    from_line = completed(command, [*required, *on_command_line(option)])
    from_file = completed(command, [*required, *configuration(in_toml(option))])
    assert vars(from_file) == vars(from_line) | {"config": "app.toml"}
    assert getattr(from_file, option.name) != option.initial or option.default is True


@pytest.mark.parametrize("command", CONFIGURABLE)
def test_options_of_other_commands_are_ignored(command: Command) -> None:
    own = {option.name for option in options_of(command)}
    others = {option.name: in_toml(option) for option in OPTIONS if option.name in {*KEYS} - own}
    required = required_by(command)
    found = completed(command, [*required, *configuration("\n".join(others.values()))])
    assert vars(found) == vars(completed(command, required)) | {"config": "app.toml"}


@pytest.mark.parametrize("command", CONFIGURABLE)
def test_an_unknown_key_is_refused_with_the_keys_that_exist(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), *configuration("xyzzy = 3")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error[HF721]: option `xyzzy` not found\n")
    assert all(f"`{key}`" in error for key in KEYS)


@pytest.mark.parametrize("command", CONFIGURABLE)
def test_hf704_names_the_required_option_that_is_missing(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    assert capsys.readouterr().err.startswith(f"error[HF704]: `{command}` has no rules\n")


def test_a_value_that_the_command_line_replaces_is_not_checked() -> None:
    config = configuration('format = "jsonl"')
    assert completed("spark run", [*required_by("spark run"), *config, "--format", "csv"]).format == "csv"


ADDRESSES = {
    "found": "apps/found",
    "/data/found": "/data/found",
    "hdfs://head/found": "hdfs://head/found",
    "file:/data/found": "file:/data/found",
    "table:found": "table:found",
    "jdbc:postgresql://host/sea": "jdbc:postgresql://host/sea",
}


@pytest.mark.parametrize("output", ADDRESSES)
def test_only_relative_paths_start_at_the_folder_of_the_file(output: str) -> None:
    inputs = ["s3a://b/*.parquet", "local/*.csv: happensAt(e(x), t)"]
    text = f'rules = "r.prolog"\noutput = "{output}"\ninput = {json.dumps(inputs)}\n'
    found = completed("spark run", configuration(text, "apps/app.toml"))
    assert found.rules == ["apps/r.prolog"]
    assert found.output == ADDRESSES[output]
    assert found.input == ["s3a://b/*.parquet", "apps/local/*.csv: happensAt(e(x), t)"]


def test_a_catalogue_table_is_not_a_path() -> None:
    text = 'rules = "r.prolog"\noutput = "found"\ninput = "db.events"\ninput_format = "table"\n'
    assert completed("spark run", configuration(text, "apps/app.toml")).input == ["db.events"]


def test_rtec_results_on_spark_are_a_folder_of_the_application() -> None:
    text = '[lamps]\nevent_description = "r.prolog"\ninput_providers = ["e.csv"]\nresults_directory = "results"\n'
    assert completed("spark run", configuration(text)).output == "results/lamps"


def test_plan_reads_the_file_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.prolog").write_text("initiatedAt(on(X)=true, T) :- happensAt(go(X), T).\n", encoding="utf-8")
    Path("events.txt").write_text("go|1|1|a\n", encoding="utf-8")
    config = configuration('rules = "rules.prolog"\ninput = "events.txt"\nwindow = 10\noutput = "found.txt"\n')
    assert main(["plan", *config, "--stage", "levels"]) == 0
    assert "{on(_)=true}" in capsys.readouterr().out
    assert main(["plan", *config, "--analyse"]) == 0
    assert "scan events  go(X)" in capsys.readouterr().out
    assert not Path("found.txt").exists()


def test_choices_are_those_of_the_code_that_reads_them() -> None:
    choices = {(command, option.name): option.choices for option in OPTIONS for command in option.commands}
    assert choices["run", "input_format"] == get_args(Format)
    assert choices["run", "time_unit"] == get_args(Unit) == tuple(PER_SECOND)
    assert choices["plan", "stage"] == STAGES


def test_every_kind_has_a_description() -> None:
    assert set(EXPECTED) == set(get_args(Kind))


def test_every_parameter_of_rtec_sets_an_option_or_none() -> None:
    assert {option for option in PARAMETERS.values() if option} <= {*KEYS}
