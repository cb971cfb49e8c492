"""How fast streams are recognised: loading and recognition of the applications, one core, one run.

`python benchmarks/recognition.py` prints a table and writes `build/benchmarks/recognition.json`. The ratio is to the
reference evaluator on a slice of the same stream, per record.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from timing import write_results

from holdsfor.analysis.compiled import compile_files
from holdsfor.cli.engines import ColumnarEngine, Engine, ReferenceEngine
from holdsfor.cli.main import main as holdsfor

SLICE = 300


@dataclass(frozen=True)
class Work:
    """A stream of an application and the windows it is recognised in."""

    name: str
    app: str
    entities: int
    duration: int
    window: int
    tick: int = 1


WORKS = (
    Work("city transport, 100 vehicles, 5 windows", "ctm", 100, 50_000, 10_000),
    Work("city transport, 100 vehicles, 50 windows", "ctm", 100, 50_000, 1_000),
    Work("city transport, 1,000 vehicles, 5 windows", "ctm", 1_000, 50_000, 10_000),
    Work("video surveillance, 11 windows", "activity", 10, 1_008_000, 100_000, tick=40),
    Work("maritime, 300 vessels, 10 windows", "maritime", 300, 345_600, 36_000),
)


def generated(work: Work, folder: Path) -> tuple[list[Path], Path]:
    """The rule files of a work and its stream."""
    stream = folder / f"{work.app}-{work.entities}.txt"
    rules = [path for path in sorted(Path("apps", work.app).glob("*.prolog")) if "background" not in path.name]
    background = folder / f"{work.app}-{work.entities}.background.prolog"
    if not stream.exists():
        size = ["--entities", str(work.entities), "--duration", str(work.duration), "--seed", "1"]
        holdsfor(["generate", work.app, *size, "--background", str(background), "-o", str(stream)])
    own = background if background.exists() else Path("apps", work.app, "background.prolog")
    return [*rules, own], stream


def measured(engine: Engine) -> tuple[float, float]:
    """Seconds to load and to recognise."""
    begin = time.perf_counter()
    engine.load()
    loaded = time.perf_counter() - begin
    for _ in engine.reports(final=True):
        pass
    return loaded, engine.seconds["recognise"]


def options(work: Work, stream: Path, *, windows: bool) -> argparse.Namespace:
    window = work.window if windows else None
    return argparse.Namespace(input=[str(stream)], window=window, step=window, tick=work.tick, start=0, end=None)


def result(work: Work, folder: Path) -> dict[str, object]:
    rules, stream = generated(work, folder)
    compiled = compile_files(rules)
    measured(ColumnarEngine(compiled, options(work, stream, windows=True), []))
    engine = ColumnarEngine(compiled, options(work, stream, windows=True), [])
    load, recognise = measured(engine)
    part = folder / "slice.txt"
    with stream.open(encoding="utf-8") as lines:
        part.write_text("".join(line for _, line in zip(range(SLICE), lines, strict=False)), encoding="utf-8")
    _, reference = measured(ReferenceEngine(compiled, options(work, part, windows=False), []))
    n = engine.counts.n_records
    return {
        "work": work.name,
        "records": n,
        "load_seconds": load,
        "recognise_seconds": recognise,
        "ratio_to_reference": (reference / SLICE) / (recognise / n),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [result(work, Path(folder)) for work in WORKS]
    print("| work | records | load | recognise | times the reference evaluator |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['work']} | {row['records']:,} | {1000 * float(str(row['load_seconds'])):.0f} ms |"
            f" {1000 * float(str(row['recognise_seconds'])):.0f} ms | {float(str(row['ratio_to_reference'])):,.0f} |"
        )
    write_results("recognition", rows)


if __name__ == "__main__":
    main()
