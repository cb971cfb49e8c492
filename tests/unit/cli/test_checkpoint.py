"""Live runs that are killed and started again with the same command."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdsfor.cli.checkpoint.folder import CheckpointFolder
from holdsfor.cli.main import main
from holdsfor.runtime.snapshot import Snapshot
from tests.seeds import share
from tests.unit.cli.processes import PATIENCE, ended, environment, lines_until, rules, started, wait_until

pytestmark = pytest.mark.in_turn(2)

RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch_off(X), T).
holdsFor(seen(X)=true, I) :- holdsFor(lit(X)=true, I1), holdsFor(near(X)=true, I2), intersect_all([I1, I2], I).
happensAt(dark(X), T) :- happensAt(end(lit(X)=true), T).
collectIntervals(near(_)=true).
"""
FORKING = """
import json, os, signal, sys
import holdsfor.api.session, holdsfor.runtime.live_snapshot, holdsfor.sources.live_inputs
from holdsfor.cli.main import main

def die_at(n, folder):
    # Die before the nth step that opens, synchronizes, renames or truncates a file of the folder.
    steps = iter(range(n))
    def step(event="fsync", arguments=(folder,)):
        if event in ("open", "fsync", "os.rename", "os.truncate") and str(arguments[0]).startswith(folder):
            if next(steps, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(step)
    sync = os.fsync
    os.fsync = lambda descriptor: (step(), sync(descriptor))

for line in sys.stdin:
    arguments, n_steps, folder = json.loads(line)
    pid = os.fork()
    if not pid:
        if n_steps is not None:
            die_at(n_steps, folder)
        os._exit(main(arguments))
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
N_STEPS, N_SHARES = 100, 50
"""How many steps on files a run is given before it dies, and in how many shares they are tried."""


def stream(n: int, seed: int) -> list[str]:
    """Records in order of arrival: late ones, retractions, intervals, lines that do not fit, unused names."""
    chosen = random.Random(seed)
    lines: list[str] = []
    at = 0
    for _ in range(n):
        at += chosen.choice([0, 1, 1, 2, 5])
        who, start = chosen.choice("abcdé"), max(0, at - chosen.choice([0, 0, 0, 3, 12, 50]))
        name = chosen.choice(["switch_on", "switch_on", "switch_off", "-switch_on", "near", "noise", "wrong"])
        fields = {"near": f"{at}|{start}|{start + chosen.randint(1, 40)}|true|{who}", "wrong": f"x|{start}|{who}"}
        kind = "switch_on" if name == "wrong" else name
        lines.append(f"{kind}|{fields.get(name, f'{at}|{start}|{who}')}\n")
    return lines


class Launcher:
    """Starts commands as processes of their own, each forked from one that has imported everything."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", FORKING]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )

    def start(self, arguments: list[str], n_steps: int | None = None, folder: Path | None = None) -> int:
        """Start a command and return the id of its process, which dies after a number of steps on files of a folder."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{json.dumps([arguments, n_steps, str(folder)])}\n".encode())
        self.process.stdin.flush()
        return self._number()

    def wait(self) -> int:
        """The exit code of the command that was started, once it has ended."""
        return self._number()

    def _number(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    found = Launcher()
    yield found
    assert found.process.stdin is not None
    assert found.process.stdout is not None
    found.process.stdin.close()
    found.process.wait(PATIENCE)
    found.process.stdout.close()


class Killed:
    """A run over a growing file in a folder, with checkpoints or without."""

    def __init__(self, folder: Path, lines: list[str], *more: str) -> None:
        folder.mkdir()
        self.folder, self.lines = folder, lines
        self.input, self.output = folder / "events.txt", folder / "found.txt"
        (folder / "rules.prolog").write_text(RULES, encoding="utf-8")
        self.input.write_text("", encoding="utf-8")
        self.n_lines = 0
        files = [f"--{name}={folder / name}" for name in ("output", "changes", "set-aside", "log", "stats")]
        window = ["--live", "--window", "40", "--step", "10", "--start", "0"]
        self.command = ["run", str(folder / "rules.prolog"), "--input", str(self.input), *files, *window, *more]
        self.output, self.changes = folder / "output", folder / "changes"

    def grow(self, n: int, rest: bytes = b"") -> None:
        """Let the input have `n` more lines, the last of which may be incomplete."""
        self.n_lines += n
        content = "".join(self.lines[: self.n_lines]).encode() + rest
        with self.input.open("ab") as file:
            file.write(content[self.input.stat().st_size :])

    def size(self) -> int:
        return self.output.stat().st_size if self.output.exists() else 0

    def counts(self) -> dict[str, object]:
        """The counts at the end, without anything that depends on time."""
        found = json.loads((self.folder / "stats").read_text(encoding="utf-8"))
        per_query_time = {name: each for name, each in found.pop("per_query_time").items() if name != "seconds"}
        return {
            **{name: found[name] for name in found if name not in ("seconds", "peak_memory_bytes")},
            **per_query_time,
        }

    def logged(self) -> list[dict[str, object]]:
        lines = (self.folder / "log").read_text(encoding="utf-8").splitlines()
        return [{**json.loads(line), "seconds": 0} for line in lines if "query_time" in line]

    def set_aside(self) -> list[str]:
        text = (self.folder / "set-aside").read_text(encoding="utf-8")
        return sorted(line.replace(str(self.folder), "") for line in text.splitlines())


def kill_once(run: Killed, launcher: Launcher, chosen: random.Random) -> None:
    """Start the command, and kill it after it has written a random number of bytes more, and a moment later."""
    written = run.size() + chosen.choice([0, 0, 1, 300, 1500, 4000])
    pid = launcher.start(run.command)
    n_rests = 0
    while run.size() < written and is_alive(pid) and n_rests < 300:
        before = run.size()
        time.sleep(0.001)
        n_rests = n_rests + 1 if run.size() == before else 0
        if "--follow" in run.command and n_rests % 50 == 49:
            run.grow(chosen.randint(0, 5))
    time.sleep(chosen.random() * 0.05)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    assert launcher.wait() in (0, -signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def check_kills(folder: Path, launcher: Launcher, n_kills: int, seed: int, *more: str) -> None:
    lines = stream(20 * n_kills, seed)
    whole, run = Killed(folder / "whole", lines, *more), Killed(folder / "killed", lines, *more)
    whole.grow(len(lines))
    assert main(whole.command) == 0
    run.command += ["--checkpoint", str(folder / "checkpoints"), "--checkpoint-every", "0"]
    chosen = random.Random(seed)
    for _ in range(n_kills):
        n = chosen.randint(0, 60)
        following = lines[run.n_lines + n] if run.n_lines + n < len(lines) else ""
        run.grow(n, following.encode()[: chosen.randint(0, 8)] if chosen.random() < 0.3 else b"")
        kill_once(run, launcher, chosen)
    run.grow(len(lines))
    launcher.start(run.command)
    assert launcher.wait() == 0
    assert run.output.read_bytes() == whole.output.read_bytes()
    assert run.changes.read_bytes() == whole.changes.read_bytes() != b""
    assert run.logged() == whole.logged()
    if "--end" not in more:  # how much is read after the end depends on the size of chunks
        assert run.counts() == whole.counts()
        assert run.set_aside() == whole.set_aside()
    assert [path.name for path in (folder / "checkpoints").iterdir()] == ["checkpoint"]


@pytest.mark.parametrize("more", [(), ("--follow", "--end", "400")], ids=["to the end", "follow"])
def test_twenty_kills_over_a_growing_file_change_nothing(
    tmp_path: Path, launcher: Launcher, more: tuple[str, ...]
) -> None:
    check_kills(tmp_path, launcher, 20, 1, *more)


@pytest.mark.parametrize("first", share(range(N_SHARES), 1))
def test_a_run_that_dies_before_any_step_on_its_files_continues(tmp_path: Path, launcher: Launcher, first: int) -> None:
    """Opening, synchronizing, renaming and truncating are where an order that is wrong would show."""
    lines = stream(40, seed=3)
    whole = Killed(tmp_path / "whole", lines)
    whole.grow(len(lines))
    assert main(whole.command) == 0
    for n_steps in range(first, N_STEPS, N_SHARES):
        folder = tmp_path / str(n_steps)
        run = Killed(folder, lines)
        run.grow(len(lines))
        run.command += ["--checkpoint", str(folder / "checkpoints"), "--checkpoint-every", "0"]
        for limit in (n_steps, n_steps // 2 + 10, None):
            launcher.start(run.command, limit, folder)
            code = launcher.wait()
            assert code in ((0,) if limit is None else (0, -signal.SIGKILL))
        assert run.output.read_bytes() == whole.output.read_bytes(), n_steps
        assert run.changes.read_bytes() == whole.changes.read_bytes(), n_steps
        assert run.counts() == whole.counts(), n_steps
        assert run.set_aside() == whole.set_aside(), n_steps


APPLICATIONS = {
    "activity": 100,
    "argumentation": 10,
    "ctm": 20,
    "feedback": 10,
    "fines": 100,
    "fleet": 500,
    "maritime": 1000,
    "netbill": 10,
    "toy": 6,
    "voting": 4,
}
"""The step of each application; its window is two steps long."""


@pytest.mark.long
@pytest.mark.parametrize("app", APPLICATIONS)
def test_every_application_continues_after_kills(tmp_path: Path, launcher: Launcher, app: str) -> None:
    folder, step = Path(__file__).parents[3] / "apps" / app, APPLICATIONS[app]
    with_parameters = ["rules.prolog", "parameters.prolog"]
    odd = {"feedback": ["phage.prolog", "immune.prolog"], "maritime": with_parameters, "fleet": with_parameters}
    records = sorted((folder / "events.txt").read_text(encoding="utf-8").splitlines(), key=arrival)
    (tmp_path / "events.txt").write_text("".join(f"{line}\n" for line in records), encoding="utf-8")
    command = ["run", *(str(folder / name) for name in (*odd.get(app, ["rules.prolog"]), "background.prolog"))]
    command += ["--input", str(tmp_path / "events.txt"), "--live", "--start", "0"]
    command += ["--window", str(2 * step), "--step", str(step)]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    command += ["-o", str(tmp_path / "found"), "--checkpoint", str(tmp_path / "checkpoints"), "--checkpoint-every", "0"]
    for _ in range(30):
        launcher.start(command, 25, tmp_path)
        code = launcher.wait()
        if code != -signal.SIGKILL:
            break
    assert code == 0, "each process gets further than the one before"
    assert (tmp_path / "found").read_bytes() == (tmp_path / "whole").read_bytes()


def arrival(line: str) -> int:
    return int(line.split("|")[1])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "more", [(), ("--report", "changes", "--format", "csv"), ("--format", "jsonl", "--end", "700")]
)
def test_many_kills_change_nothing(tmp_path: Path, launcher: Launcher, seed: int, more: tuple[str, ...]) -> None:
    check_kills(tmp_path, launcher, 30, seed, *more)


# -- refused checkpoints -----------------------------------------------------------------------------------------------


class Small:
    """A run over a small file, with checkpoints after every query time."""

    def __init__(self, folder: Path) -> None:
        self.input, self.output = folder / "events.txt", folder / "found.txt"
        self.input.write_text("switch_on|3|3|a\nswitch_off|12|12|a\nswitch_on|25|25|b\n", encoding="utf-8")
        self.rules = rules(folder)
        self.checkpoints = folder / "checkpoints"

    def __call__(self, *more: str) -> int:
        files = ["--input", str(self.input), "-o", str(self.output)]
        kept = ["--checkpoint", str(self.checkpoints), "--checkpoint-every", "0"]
        return main(["run", self.rules, *files, "--live", "--window", "10", "--start", "0", *kept, *more])


@pytest.fixture
def small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Small:
    """A run that has ended, with checkpoints."""
    run = Small(tmp_path)
    assert run() == 0
    capsys.readouterr()
    return run


def test_a_run_over_a_file_that_has_grown_continues(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    assert small.output.read_text(encoding="utf-8").splitlines()[-2:] == [
        "% query time 30",
        "holdsFor(lit(b)=true, [(26,inf)]).",
    ]
    with small.input.open("a", encoding="utf-8") as file:
        file.write("switch_off|27|27|b\nswitch_on|38|38|a\n")
    assert small() == 0
    assert capsys.readouterr().err.startswith("continuing after query time 20\n5 records read\n4 query times, ")
    assert small.output.read_text(encoding="utf-8") == (
        "% query time 10\nholdsFor(lit(a)=true, [(4,inf)]).\n"
        "% query time 20\nholdsFor(lit(a)=true, [(4,13)]).\n"
        "% query time 30\nholdsFor(lit(b)=true, [(26,28)]).\n"
        "% query time 40\nholdsFor(lit(a)=true, [(39,inf)]).\n"
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--window", "20"], "is of a run with `--window 10`, and this run is with `--window 20`"),
        (["--step", "5"], "is of a run with `--step 10`, and this run is with `--step 5`"),
        (["--tick", "5"], "is of a run with `--tick 1`, and this run is with `--tick 5`"),
        (["--end", "40"], "is of a run without `--end`, and this run is with `--end 40`"),
        (["--goal", "true"], "is of other rules, background facts or start-up goals"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(
    small: Small, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = small.output.read_bytes()
    assert small(*more) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error[HF707]: the checkpoint in `{small.checkpoints}` {message}\nhint: continue with ")
    assert small.output.read_bytes() == before


def test_other_inputs_outputs_and_rules_are_refused(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    other = small.input.with_name("others.txt")
    other.write_bytes(small.input.read_bytes())
    assert small("--input", str(other)) == 2
    assert "error[HF707]: " in capsys.readouterr().err
    assert small("-o", str(other.with_name("other.txt"))) == 2
    assert "error[HF707]: " in capsys.readouterr().err
    Path(small.rules).write_text("initiatedAt(lit(X)=true, T) :- happensAt(switch_off(X), T).", encoding="utf-8")
    assert small() == 2
    assert "is of other rules" in capsys.readouterr().err


def test_an_input_that_was_truncated_or_replaced_is_refused(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    whole, found = small.input.read_text(encoding="utf-8"), small.output.read_bytes()
    for content, change in (
        (whole[:20], "has 20 bytes, expected at least 53"),
        (f"switch_on|2{whole[11:]}", "has other content in its first 53 bytes"),
        (f"{whole[:-3]}c\n\n", "has other content in its first 53 bytes"),
    ):
        small.input.write_text(content, encoding="utf-8")
        assert small() == 2
        assert capsys.readouterr().err.startswith(
            f"error[HF709]: the input `{small.input}` {change}: it was replaced or truncated after the checkpoint\n"
        )
    assert small.output.read_bytes() == found, "nothing is cut back by a run that is refused"
    small.input.write_text(whole, encoding="utf-8")
    assert small() == 0


def test_an_output_that_was_truncated_or_removed_is_refused(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    whole = small.output.read_bytes()
    small.output.write_bytes(whole[:-60])
    assert small() == 2
    assert f"error[HF709]: the output `{small.output}` has " in capsys.readouterr().err
    small.output.unlink()
    assert small() == 2
    assert f"error[HF709]: the output `{small.output}` is not there: " in capsys.readouterr().err
    small.output.write_bytes(whole)
    assert small() == 0


@pytest.mark.parametrize("at", [0, 4, 30, -1])
def test_a_damaged_checkpoint_is_refused(small: Small, at: int, capsys: pytest.CaptureFixture[str]) -> None:
    file = small.checkpoints / "checkpoint"
    before = small.output.read_bytes()
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    for damaged in (data, data[: 8 + int.from_bytes(data[:8], "little")]):
        file.write_bytes(damaged)
        assert small() == 2
        assert "error[HF508]: " in capsys.readouterr().err
        assert small.output.read_bytes() == before


@pytest.mark.parametrize("replaces", [True, False])
def test_a_checkpoint_names_no_file_to_cut(
    small: Small, tmp_path: Path, replaces: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A digest does not make a checkpoint trustworthy: a program that writes the file can compute it."""
    other = tmp_path / "other.txt"
    other.write_text("of another program", encoding="utf-8")
    folder = CheckpointFolder(str(small.checkpoints))
    parts = folder.read()
    assert parts is not None
    run = Snapshot.from_bytes(parts[0])
    marks = {} if replaces else run.more["outputs"]
    marks[str(other)] = [0, ""]
    folder.write(replace(run, more=run.more | {"outputs": marks}).to_bytes(), parts[1])
    folder.close()
    before = small.output.read_bytes()
    assert small() == 2
    assert "error[HF707]: " in capsys.readouterr().err
    assert (other.read_text(encoding="utf-8"), small.output.read_bytes()) == ("of another program", before)


@pytest.mark.parametrize("more", [{"outputs": 3}, {"outputs": {"x": 3}}, {"counts": []}, {"log": 3}])
def test_a_checkpoint_with_other_content_is_refused(
    small: Small, more: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = CheckpointFolder(str(small.checkpoints))
    parts = folder.read()
    assert parts is not None
    run = Snapshot.from_bytes(parts[0])
    given = {"outputs": {str(small.output): 3}} if more == {"outputs": {"x": 3}} else more
    folder.write(replace(run, more=run.more | given).to_bytes(), parts[1])
    folder.close()
    assert small() == 2
    assert "error[HF508]: " in capsys.readouterr().err


def test_a_folder_has_one_run_at_a_time(small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    options = ("--live", "--window", "10", "--checkpoint", str(tmp_path / "other"))
    process = started("run", small.rules, "--input", str(pipe), *options)
    wait_until((tmp_path / "other" / "checkpoint").exists, process)
    assert main(["run", small.rules, "--input", str(pipe), *options]) == 2
    assert capsys.readouterr().err.startswith("error[HF707]: another run uses the checkpoints in ")
    process.kill()
    ended(process)


# -- output of earlier runs --------------------------------------------------------------------------------------------


def test_a_live_run_does_not_replace_the_output_of_an_earlier_one(
    small: Small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = small.output.read_bytes()
    small.checkpoints = tmp_path / "others"
    command = ["run", small.rules, "--input", str(small.input), "-o", str(small.output), "--window", "10"]
    for code in (main([*command, "--live"]), small()):
        assert code == 2
        assert small.output.read_bytes() == before
    message = f"error[HF708]: `{small.output}` has the output of an earlier run, and a live run does not replace it\n"
    assert capsys.readouterr().err.count(message) == 2
    assert main([*command, "--live", "--overwrite", "--start", "0"]) == 0
    assert small.output.read_bytes() == before
    assert main(command) == 0, "a run over files replaces its output"
    small.output.unlink()
    small.output.touch()
    assert small() == 0


# -- inputs and outputs that cannot be read or written again -----------------------------------------------------------


def test_a_restart_prints_the_records_taken_from_a_pipe(tmp_path: Path) -> None:
    pipe, output = tmp_path / "pipe", tmp_path / "found.txt"
    os.mkfifo(pipe)
    command = ["run", rules(tmp_path), "--input", str(pipe), "-o", str(output), "--live", "--window", "10"]
    command += ["--start", "0", "--checkpoint", str(tmp_path / "checkpoints"), "--checkpoint-every", "0"]
    lines = [b"name,time,arg1\n", b"switch_on,3,a\n", b"switch_on,4,b\n", b"switch_off,12,a\n", b"switch_on,25,b\n"]
    process = started(*command)
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"".join(lines[:4]) + b"switch")
        checkpoint = tmp_path / "checkpoints" / "checkpoint"
        wait_until(lambda: b'"query_time":10' in checkpoint.read_bytes(), process)
        process.kill()
    ended(process)
    process = started(*command)
    with pipe.open("wb", buffering=0) as writer:
        writer.write(lines[0] + lines[4])
    code, _, error = ended(process)
    assert code == 0
    assert error.startswith(
        f"continuing after query time 10\n`{pipe}`: 3 records taken, the last arrival is 12\n4 records read\n"
    )
    assert output.read_text(encoding="utf-8") == (
        "% query time 10\nholdsFor(lit(a)=true, [(4,inf)]).\nholdsFor(lit(b)=true, [(5,inf)]).\n"
        "% query time 20\nholdsFor(lit(a)=true, [(4,13)]).\nholdsFor(lit(b)=true, [(5,inf)]).\n"
        "% query time 30\nholdsFor(lit(b)=true, [(5,inf)]).\n"
    )


def test_standard_output_continues_after_the_checkpoint(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", small.rules, "--input", str(small.input), "--live", "--window", "10", "--format", "csv"]
    command += ["--start", "0", "--checkpoint", str(small.checkpoints.with_name("more")), "--checkpoint-every", "0"]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("query_time,kind,name,arguments,value,fvp,start,end\n10,fluent,")
    assert main(command) == 0
    out, error = capsys.readouterr()
    assert out == '30,fluent,lit,"[""b""]",true,lit(b)=true,26,\n'
    assert error.startswith(
        "continuing after query time 20\n"
        "standard output cannot be cut back: reports after the checkpoint come again\n3 records read\n"
    )


def test_a_run_that_is_asked_to_end_writes_a_checkpoint(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = ["run", rules(tmp_path), "--input", str(pipe), "-o", str(tmp_path / "found.txt"), "--live"]
    command += ["--window", "10", "--start", "0"]
    command += ["--checkpoint", str(tmp_path / "checkpoints"), "--checkpoint-every", "1000000"]
    process = started(*command)
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"switch_on|3|3|a\nswitch_off|12|12|a\n")
        wait_until(lambda: (tmp_path / "found.txt").exists() and (tmp_path / "found.txt").stat().st_size > 0, process)
        process.terminate()
        assert ended(process)[0] == 130
    process = started(*command)
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"switch_on|14|14|b\n")
    assert ended(process)[2].startswith(
        f"continuing after query time 10\n`{pipe}`: 2 records taken, the last arrival is 12\n3 records read\n"
    )
    assert (tmp_path / "found.txt").read_text(encoding="utf-8").splitlines()[-2:] == [
        "holdsFor(lit(a)=true, [(4,13)]).",
        "holdsFor(lit(b)=true, [(15,inf)]).",
    ]


def test_the_last_of_many_query_times_gets_a_checkpoint_while_the_input_is_silent(tmp_path: Path) -> None:
    pipe, checkpoint = tmp_path / "pipe", tmp_path / "checkpoints" / "checkpoint"
    os.mkfifo(pipe)
    command = ["run", rules(tmp_path), "--input", str(pipe), "-o", str(tmp_path / "found.txt"), "--live"]
    process = started(*command, "--window", "10", "--start", "0", "--checkpoint", str(tmp_path / "checkpoints"))
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"".join(b"switch_on|%d|%d|a\n" % (at, at) for at in range(0, 995, 5)))
        wait_until(lambda: b'"query_time":980' in checkpoint.read_bytes(), process)
        process.kill()
    ended(process)


# -- files that grow ---------------------------------------------------------------------------------------------------


def test_a_followed_file_has_no_end(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|3|3|a\nswitch_off|12|1", encoding="utf-8")
    options = ("--live", "--follow", "--window", "10", "--start", "0")
    process = started("run", rules(tmp_path), "--input", str(stream), *options)
    with stream.open("a", encoding="utf-8") as file:
        file.write("2|a\n")
    assert lines_until(process, "holdsFor") == ["% query time 10", "holdsFor(lit(a)=true, [(4,inf)])."]
    with stream.open("a", encoding="utf-8") as file:
        file.write("switch_on|21|21|b\n")
    assert lines_until(process, "holdsFor") == ["% query time 20", "holdsFor(lit(a)=true, [(4,13)])."]
    process.terminate()
    assert ended(process)[0] == 130


def test_a_followed_file_that_is_truncated_ends_the_run(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|3|3|a\nswitch_off|12|12|a\n", encoding="utf-8")
    options = ("--live", "--follow", "--window", "10", "--start", "0")
    process = started("run", rules(tmp_path), "--input", str(stream), *options)
    lines_until(process, "holdsFor")
    stream.write_text("", encoding="utf-8")
    code, _, error = ended(process)
    assert code == 2
    assert error.startswith(f"error[HF709]: the input `{stream}` was truncated while it was followed\n")


# -- the wall clock and several inputs ---------------------------------------------------------------------------------


def test_by_the_wall_clock_no_query_time_is_missing_after_a_kill(tmp_path: Path) -> None:
    stream, output = tmp_path / "events.txt", tmp_path / "found.txt"
    stream.write_text("switch_on|3|3|a\n", encoding="utf-8")
    command = ["run", rules(tmp_path), "--input", str(stream), "-o", str(output), "--live", "--follow"]
    command += ["--clock", "wall", "--rate", "100", "--window", "1000000", "--step", "10", "--start", "0"]
    command += ["--checkpoint", str(tmp_path / "checkpoints")]

    def n_reports() -> int:
        return output.read_text(encoding="utf-8").count("% query time ") if output.exists() else 0

    for n in (5, 10):
        process = started(*command)
        wait_until(lambda n=n: n_reports() >= n, process)  # type: ignore[misc]
        process.kill()
        ended(process)
    n_before = n_reports()
    process = started(*command)
    wait_until(lambda: n_reports() >= n_before + 5, process)
    process.terminate()
    assert ended(process)[0] == 130
    times = [line for line in output.read_text(encoding="utf-8").splitlines() if line.startswith("%")]
    assert times == [f"% query time {10 * (i + 1)}" for i in range(len(times))]


def test_an_input_that_has_ended_stays_ended(tmp_path: Path) -> None:
    short, pipe, output = tmp_path / "short.txt", tmp_path / "pipe", tmp_path / "found.txt"
    short.write_text("switch_on|2|2|a", encoding="utf-8")
    os.mkfifo(pipe)
    command = ["run", rules(tmp_path), "--input", str(short), str(pipe), "-o", str(output), "--live"]
    command += ["--window", "10", "--start", "0", "--checkpoint", str(tmp_path / "checkpoints")]
    command += ["--checkpoint-every", "0"]
    checkpoint = tmp_path / "checkpoints" / "checkpoint"
    process = started(*command)
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"switch_on|4|4|b\nswitch_off|12|12|b\n")
        wait_until(lambda: b'"query_time":10' in checkpoint.read_bytes(), process)
        process.kill()
    ended(process)
    short.unlink()
    process = started(*command)
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"switch_off|15|15|a\n")
    code, _, error = ended(process)
    assert code == 0
    assert error.startswith(
        f"continuing after query time 10\n`{pipe}`: 2 records taken, the last arrival is 12\n4 records read\n"
    )
    assert output.read_text(encoding="utf-8").splitlines()[-3:] == [
        "% query time 20",
        "holdsFor(lit(a)=true, [(3,16)]).",
        "holdsFor(lit(b)=true, [(5,13)]).",
    ]
