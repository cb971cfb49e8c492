"""Shapes of reading and writing: records and facts in, tables, lines and changes out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp

from cliff_records import new_entities, on_off, retracted
from cliff_shapes import Case, Shape, Work

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import Diagnostics
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.source import Source

__all__ = ["FILE_SHAPES"]

RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
"""
_FOLDER = Path(mkdtemp(prefix="cliffs"))


def _written(name: str, lines: Iterable[str]) -> Path:
    path = _FOLDER / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _parsed(layout: str) -> Callable[[int], Case]:
    """Facts of the background knowledge, parsed."""

    def case(n: int) -> Case:
        text = "".join(layout.format(i, i % 7) for i in range(n // 2))

        def work() -> int:
            program = parse_program(Source("facts", text), Diagnostics())
            return sum(map(len, program.tables)) + len(program.clauses)

        return Case(n, lambda: work)

    return case


def _read(name: str, layout: Callable[[int], str], header: str = "") -> Callable[[int], Case]:
    """Records of a format, read and recognised."""

    def case(n: int) -> Case:
        lines = [header] * bool(header) + [layout(t) for t in range(n)]
        path, rules = _written(name, lines), hf.load_text(RULES)
        return Case(n, lambda: lambda: len(hf.recognise(rules, path, jobs=1).to_arrow()))

    return case


def _table(n: int) -> Case:
    """A table of the result of a recognition."""
    path, rules = _written("table.txt", new_entities(n)), hf.load_text(RULES)

    def start() -> Work:
        result = hf.recognise(rules, path, jobs=1)
        return lambda: len(result.to_arrow())

    return Case(2 * n, start)


def _run(lines: Callable[[int], Iterable[str]], suffix: str, *options: str) -> Callable[[int], Case]:
    """A run from a file of records to a file of results."""

    def case(n: int) -> Case:
        rules, records, results = (
            _written("rules.prolog", [RULES]),
            _written("in.txt", lines(n)),
            _FOLDER / f"out.{suffix}",
        )
        n_lines = records.read_bytes().count(b"\n")
        window = ["--window", str(n // 10 or 1)] if "--report" in options else []
        given = ["run", str(rules), "--input", str(records), "--jobs", "1", "-o", str(results), *options, *window]

        def work() -> int:
            with redirect_stderr(StringIO()), redirect_stdout(StringIO()):
                assert main([*given, "--overwrite"]) == 0
            return results.read_bytes().count(b"\n")

        return Case(n_lines, lambda: work)

    return case


def _csv(t: int) -> str:
    return f"{'on' if t % 2 else 'off'},{t},{t},x{t % 50}"


def _json(t: int) -> str:
    return json.dumps({"name": "on" if t % 2 else "off", "arrival": t, "start": t, "arg1": f"x{t % 50}"})


FILE_SHAPES: tuple[Shape, ...] = (
    Shape("facts, one on a line", "input", _parsed("ves({0}, a{1}).\nown('O {1}').\n"), n=2_000),
    Shape("facts, two on a line", "input", _parsed("ves({0}, a{1}). own('O {1}').\n"), n=2_000),
    Shape(
        "facts, of ten kinds in turns",
        "input",
        _parsed("".join(f"k{k}({{0}}, a{{1}}). " for k in range(10)) + "\n"),
        n=2_000,
    ),
    Shape("records as text", "input", _read("in.txt", lambda t: f"{'on' if t % 2 else 'off'}|{t}|{t}|x{t % 50}")),
    Shape("records as CSV", "input", _read("in.csv", _csv, "name,arrival,start,arg1")),
    Shape("records as JSON lines", "input", _read("in.jsonl", _json)),
    Shape(
        "records out of order",
        "input",
        _read("wild.txt", lambda t: f"{'on' if t % 2 else 'off'}|{t * 7919 % 10007}|{t * 7919 % 10007}|x{t % 50}"),
    ),
    Shape("a table of two records per entity", "output", _table),
    Shape("text", "output", _run(new_entities, "txt")),
    Shape("CSV", "output", _run(new_entities, "csv")),
    Shape("JSON lines", "output", _run(new_entities, "jsonl")),
    Shape("Parquet", "output", _run(new_entities, "parquet")),
    Shape("changes as JSON lines", "output", _run(on_off, "jsonl", "--report", "changes")),
    Shape("changes as CSV", "output", _run(on_off, "csv", "--report", "changes")),
    Shape("every window as JSON lines", "output", _run(on_off, "jsonl", "--report", "known")),
    Shape("retractions, in windows", "output", _run(retracted, "jsonl", "--report", "changes")),
)
