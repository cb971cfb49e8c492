"""Feed broken event descriptions to the front end until the time is up or something breaks.

    python -m tests.fuzz.run --minutes 5 [--seed N]

A failure is written to `build/fuzz/` with the traceback beside it, and the exit code is 1. The current input is in
`build/fuzz/current.prolog`, for the case that the process itself dies.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.laws import SECONDS_PER_INPUT, TooSlow, check_file, check_text, reduced, time_limit
from tests.fuzz.mutations import corpus, random_text
from tests.fuzz.rewrites import rewritten_text

__all__ = ["Fuzzer", "main"]


@dataclass
class Fuzzer:
    """One run: every input follows from the seed and its number."""

    seed: int
    folder: Path
    texts: tuple[str, ...] = field(default_factory=corpus)
    n_inputs: int = 0
    failures: dict[str, Path] = field(default_factory=dict)

    def step(self) -> Path | None:
        """Try the next input. The path of a reproducer, if it fails in a way not seen before."""
        self.n_inputs += 1
        random_ = random.Random(f"{self.seed}/{self.n_inputs}")
        if random_.random() < 0.6:
            text = rewritten_text(random_, self.texts)
        else:
            text = random_text(random_, self.texts)
        if random_.random() < 0.05:
            return self.try_bytes(_broken_bytes(random_, text))
        self.current.write_text(text, encoding="utf-8", newline="")
        kind = _failure(text)
        return None if kind is None else self.report(kind, text)

    @property
    def current(self) -> Path:
        return self.folder / "current.prolog"

    def try_bytes(self, content: bytes) -> Path | None:
        self.current.write_bytes(content)
        try:
            with time_limit(SECONDS_PER_INPUT):
                check_file(self.current)
        except (Exception, TooSlow) as problem:
            return self.write(_kind(problem), content)
        return None

    def report(self, kind: str, text: str) -> Path | None:
        if kind in self.failures:
            return None
        shortest = reduced(text, lambda shorter: _failure(shorter) == kind) if "TooSlow" not in kind else text
        _failure(shortest)
        return self.write(kind, shortest.encode("utf-8"))

    def write(self, kind: str, content: bytes) -> Path | None:
        if kind in self.failures:
            return None
        path = self.folder / f"crash-{self.seed}-{self.n_inputs}.prolog"
        path.write_bytes(content)
        path.with_suffix(".txt").write_text(f"{kind}\n\n{_Last.traceback}", encoding="utf-8")
        self.failures[kind] = path
        return path


class _Last:
    """The traceback of the last failure."""

    traceback = ""


def _failure(text: str) -> str | None:
    """In which way the text breaks a law, if it does."""
    try:
        with time_limit(SECONDS_PER_INPUT):
            check_text(text)
    except (Exception, TooSlow) as problem:
        return _kind(problem)
    return None


def _kind(problem: BaseException) -> str:
    """A name that identifies the failure: the class of the exception and its place."""
    _Last.traceback = "".join(traceback.format_exception(problem, limit=-30))
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if "holdsfor" in f.filename]
    if isinstance(problem, TooSlow | RecursionError):
        frames = frames[:2]
    place = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-2:])
    return f"{type(problem).__name__} at {place}: {str(problem).splitlines()[0][:80] if str(problem) else ''}"


def _broken_bytes(random_: random.Random, text: str) -> bytes:
    content = bytearray(text.encode(random_.choice(["utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace"))
    for _ in range(random_.choice([0, 1, 1, 5])):
        if content:
            content[random_.randrange(len(content))] = random_.randrange(256)
    return bytes(content)


def main() -> int:
    """Fuzz until the time is up; the exit code is 1 if a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="how long to go on (5)")
    parser.add_argument("--seed", type=int, default=None, help="where to begin; a new one each time if left out")
    parser.add_argument("--keep-going", action="store_true", help="collect one input for every kind of failure")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    folder = Path("build/fuzz")
    folder.mkdir(parents=True, exist_ok=True)
    print(f"fuzzing for {options.minutes:g} min with seed {seed}")
    fuzzer = Fuzzer(seed, folder)
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        faulthandler.dump_traceback_later(30 * SECONDS_PER_INPUT, exit=True)
        reproducer = fuzzer.step()
        _show_progress(fuzzer, end)
        if reproducer is not None:
            print(f"\nfailed: {list(fuzzer.failures)[-1]}\n  {reproducer}\n  {reproducer.with_suffix('.txt')}")
            if not options.keep_going:
                break
    faulthandler.cancel_dump_traceback_later()
    fuzzer.current.unlink(missing_ok=True)
    print(f"{fuzzer.n_inputs} inputs, {len(fuzzer.failures)} failures")
    return 1 if fuzzer.failures else 0


def _show_progress(fuzzer: Fuzzer, end: float) -> None:
    if sys.stderr.isatty() and fuzzer.n_inputs % 20 == 0:
        left = max(0, round(end - time.monotonic()))
        print(f"\r{fuzzer.n_inputs} inputs, {left} s left ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
