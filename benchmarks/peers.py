"""Other systems in processes of their own: RTEC→ and RTEC→-naive, jREC, s(CASP) and Logica.

Their code is read from checkouts and installations, never copied:

- `EXPERIMENTS` names a checkout of Periklismant/rtec_experiments, the experiments of the delayed-effects paper, with
  RTEC→, RTEC→-naive and jREC with red-black trees;
- `SCASP` names a checkout of SWI-Prolog/sCASP;
- `LOGICA` names the command `logica` (`pip install logica`), which runs on SQLite here.

A system that is not there, or not runnable, raises `Missing` with the reason. Seconds are processor seconds of the
whole process with all that it starts, compilation included.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Missing", "Ran", "RtecRun", "TooSlow", "checkout", "command_seconds", "program", "run_rtec"]

LIMIT = 20
"""Processor seconds that a system may take."""


class Missing(Exception):
    """A system that cannot be run here, with the reason."""


class TooSlow(Exception):
    """A system that needs more than the limit of processor seconds."""


@dataclass(frozen=True)
class Ran:
    """What a process printed, and its processor seconds."""

    output: str
    seconds: float


def checkout(variable: str, *parts: str) -> Path:
    """A file or folder of the checkout that a variable of the environment names."""
    named = os.environ.get(variable)
    if not named:
        raise Missing(f"{variable} is not set")
    path = Path(named).resolve().joinpath(*parts)
    if not path.exists():
        raise Missing(f"{path.name} is not in the checkout of {variable}")
    return path


def program(name: str) -> str:
    """The path of an installed program."""
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed")
    return found


def command_seconds(command: Sequence[str], folder: Path, limit: int = LIMIT) -> Ran:
    """Run a command in a folder, within the limit of processor seconds."""
    before = _children_seconds()
    done = subprocess.run(
        [program("bash"), "-c", f'ulimit -t {limit}; exec "$@"', "bash", *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    seconds = _children_seconds() - before
    if done.returncode and seconds >= 0.95 * limit:
        raise TooSlow(f"more than {limit} s")
    if done.returncode:
        raise Missing(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()[-300:]}")
    return Ran(done.stdout, seconds)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class RtecRun:
    """A run of a system of the RTEC family: seconds by window, rule evaluations of all windows, and all intervals."""

    process_seconds: float
    seconds: list[float]
    evaluations: int
    intervals: str


def run_rtec(
    system: str,
    app: str,
    files: tuple[Path, Path, Path],
    window: int,
    step: int,
    end: int,
    folder: Path,
    limit: int = LIMIT,
) -> RtecRun:
    """Run `rtec` or `rtecnaive` of the experiments on files of rules, background knowledge and records."""
    scripts = checkout("EXPERIMENTS", "systems", system, "execution scripts")
    program("swipl")
    rules, background, records = files
    ran = command_seconds(
        [
            "bash",
            "-c",
            './run_rtec.sh "$@" || true',  # it ends with a test that fails: the log says whether it ran
            "run_rtec.sh",
            f"--app={app}",
            f"--event-description={rules}",
            f"--background-knowledge={background}",
            f"--input={records}",
            f"--window-size={window}",
            f"--step={step}",
            f"--end-time={end}",
            f"--results-directory={folder}",
        ],
        scripts,
        limit,
    )
    name = f"log-swi-{window}-{step}-csv-file"
    log = folder / f"{name}-log.txt"
    if not log.exists():
        raise Missing(f"{system} wrote no log: {ran.output[-300:]}")
    text = log.read_text(encoding="utf-8")
    evaluations = re.search(r"rule evaluations: .*?with Sum: (\d+)", text)
    return RtecRun(
        ran.seconds,
        [int(milliseconds) / 1000 for milliseconds in re.findall(r"\+(\d+)", text.splitlines()[0])],
        0 if evaluations is None else int(evaluations[1]),
        (folder / f"{name}-recognised-intervals.txt").read_text(encoding="utf-8"),
    )
