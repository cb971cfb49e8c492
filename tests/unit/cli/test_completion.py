"""Completion scripts, run by the shells that are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from holdsfor.cli.completion import command_words, script
from holdsfor.cli.main import command_line, main
from holdsfor.cli.options.declarations import OPTIONS

CASES = [
    ("holdsfor r", {"run"}),
    ("holdsfor ", {"init", "check", "plan", "graph", "run", "query", "spark", "generate", "completion"}),
    ("holdsfor run --replay max --inter", {"--interactive"}),
    ("holdsfor run --report ", {"known", "changes"}),
    ("holdsfor spark ", {"prepare", "run", "stream", "inspect", "rescale", "package"}),
    ("holdsfor spark run --part", {"--partition-by"}),
    ("holdsfor plan --stage l", {"levels", "logical"}),
    ("holdsfor completion ", {"bash", "zsh", "fish"}),
    ("holdsfor run --input da", {"data.txt"}),
]


def test_every_declared_option_is_in_the_script() -> None:
    found = {command.words: command for command in command_words(command_line())}
    for option in OPTIONS:
        for command in option.commands if not option.is_positional else ():
            flags = [flag for flag in found[tuple(command.split())].flags if option.flag in flag.names]
            assert len(flags) == 1
            assert flags[0].choices == (option.choices or ())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_valid(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text == script(shell, command_line())
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = tmp_path / "completion"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run([shell, "-n", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("completion")
    (place / "data.txt").touch()
    for shell in ("bash", "fish"):
        (place / f"holdsfor.{shell}").write_text(script(shell, command_line()), encoding="utf-8")
    return place


def test_bash_completes(folder: Path) -> None:
    program = "source holdsfor.bash\n"
    for line, _ in CASES:
        words = line.split(" ")
        given = " ".join(f"'{word}'" for word in words)
        program += f"COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; COMPREPLY=(); _holdsfor\n"
        program += 'echo "${COMPREPLY[*]}"\n'
    done = subprocess.run(["bash", "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert [set(line.split()) for line in done.stdout.splitlines()] == [expected for _, expected in CASES]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish_completes(folder: Path, line: str, expected: set[str]) -> None:
    command = ["fish", "--no-config", "-c", f"source holdsfor.fish; complete -C '{line}'"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert {each.partition("\t")[0] for each in done.stdout.splitlines()} == expected
