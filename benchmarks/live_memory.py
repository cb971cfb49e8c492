"""Memory of a live run over a long stream: a thousand windows of city transport.

`python benchmarks/live_memory.py` prints a table and writes `build/benchmarks/live_memory.json`. Memory is bounded by
the window and the open FVPs, so the resident memory of the last windows equals that of the early ones.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import write_results

from holdsfor.cli.main import main as holdsfor

N_WINDOWS = 1_000
WINDOW = 200
VEHICLES = 20
EVERY = 100


def resident(process: int) -> int:
    """The resident bytes of a process."""
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def measured(stream: Path) -> list[tuple[int, int]]:
    """(windows done, resident bytes) at some moments of a live run."""
    rules = ["apps/ctm/rules.prolog", "apps/ctm/background.prolog"]
    options = ["--live", "--window", str(WINDOW), "--start", "0", "--end", str(N_WINDOWS * WINDOW)]
    command = [sys.executable, "-m", "holdsfor", "run", *rules, "--input", "-", *options]
    samples: list[tuple[int, int]] = []
    with stream.open("rb") as records:
        process = subprocess.Popen(command, stdin=records, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    n_windows = 0
    with process.stdout:
        for line in process.stdout:
            if line.startswith("% query time"):
                n_windows += 1
                if n_windows % EVERY == 0:
                    samples.append((n_windows, resident(process.pid)))
    assert process.wait() == 0
    return samples


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        stream = Path(folder) / "events.txt"
        size = ["--entities", str(VEHICLES), "--duration", str(N_WINDOWS * WINDOW), "--seed", "1"]
        holdsfor(["generate", "ctm", *size, "-o", str(stream)])
        with stream.open("rb") as lines:
            n_records = sum(1 for _ in lines)
        samples = measured(stream)
    print("| windows | resident memory |")
    print("|---|---|")
    for n_windows, n_bytes in samples:
        print(f"| {n_windows:,} | {n_bytes / 1e6:.1f} MB |")
    growth = samples[-1][1] / samples[0][1]
    print(f"\n{n_records:,} records; the last is {growth:.2f} times the first")
    result = {"work": f"city transport, {VEHICLES} vehicles, live", "records": n_records, "window": WINDOW}
    rows = [{"windows": n_windows, "resident_bytes": n_bytes} for n_windows, n_bytes in samples]
    write_results("live_memory", {**result, "samples": rows, "growth": growth})


if __name__ == "__main__":
    main()
