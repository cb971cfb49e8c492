"""The command of the README that reads a topic: its arguments with another place for the records, and its results."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

from tests.docs.console import ROOT

__all__ = ["TOPIC", "applied", "arguments", "messages", "results_of_the_file"]

TOPIC = "kafka://broker:9092/trips"
_README = (ROOT / "README.md").read_text(encoding="utf-8")
_LAST: dict[str, Any] = {"vehicle": "the end", "kmh": 1.0, "street": "no street", "ts": "2026-03-01T08:10:01+01:00"}
"""A record after the last query time, which is therefore due."""


def arguments(place: str, folder: Path) -> list[str]:
    """The arguments of the command with another place for the records, and its output in a folder."""
    (command,) = re.findall(r"^```sh\n(holdsfor spark stream .*?)^```", _README, re.DOTALL | re.MULTILINE)
    words = shlex.split(command.replace("\\\n", " "))[1:]
    assert any(TOPIC in word for word in words)
    places = {"changes": str(folder / "changes"), "state": str(folder / "state")}
    return [places.get(word, word.replace(TOPIC, place)) for word in words]


def messages() -> list[str]:
    """The rows of the CSV file of the README as JSON."""
    with (ROOT / "docs/your-own-data/trips.csv").open(encoding="utf-8") as file:
        rows = [{**row, "kmh": float(row["kmh"])} for row in csv.DictReader(file)]
    return [json.dumps(row) for row in [*rows, _LAST]]


def results_of_the_file() -> set[tuple[str, int, int | None]]:
    """The intervals that the README shows for the CSV file."""
    (shown,) = re.findall(r"^\$ holdsfor run docs/spark/streets.*?\n(.*?)^```", _README, re.DOTALL | re.MULTILINE)
    found = set()
    for fvp, intervals in re.findall(r"^holdsFor\((.*), \[(.*)\]\)\.$", shown, re.MULTILINE):
        for start, end in re.findall(r"\((\d+),(\d+|inf)\)", intervals):
            found.add((fvp, int(start), None if end == "inf" else int(end)))
    assert found
    return found


def applied(changes: Any) -> set[tuple[str, int, int | None]]:
    """The intervals after all changes, rows of an Arrow table, without those of the last record."""
    known: set[tuple[str, int, int | None]] = set()
    for row in sorted(changes.to_pylist(), key=lambda row: (row["query_time"], row["op"] == "+")):
        start, end = (None if at is None else int(at.timestamp()) for at in (row["start"], row["end"]))
        assert start is not None
        (known.discard if row["op"] == "-" else known.add)((row["fvp"], start, end))
    return {each for each in known if _LAST["vehicle"] not in each[0]}
