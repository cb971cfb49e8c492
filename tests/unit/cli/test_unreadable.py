"""An input that cannot be read is reported and sets the exit code; the other inputs are read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from holdsfor.cli.main import main
from tests.unit.cli.processes import rules

FOUND = "% query time 9\nholdsFor(lit(a)=true, [(2,inf)]).\n"


def inputs_of(folder: Path) -> list[str]:
    """A readable input, and an unreadable input of each kind."""
    packed, table = gzip.compress(b"switch_on|1|1|b\n" * 99), folder / "table.parquet"
    pq.write_table(pa.table({"name": ["switch_on"], "start": [1], "arg1": ["b"]}), table)
    contents = {
        "good.txt": b"switch_on|1|1|a\n",
        "cut.txt.gz": packed[:-9],
        "cut.parquet": table.read_bytes()[:-9],
        "latin.txt": b"switch_on|1|1|\xe9\n",
        "unclear.csv": b"when,what\n1,b\n",
        "columns.csv": b"name,start,arg1,knots\nswitch_on,1,b,5\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in contents]


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_the_other_inputs_are_read_and_the_exit_code_is_2(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    aside, stats = tmp_path / "aside.jsonl", tmp_path / "stats.json"
    good, *bad = inputs_of(tmp_path)
    options = ["--end", "9", "--engine", engine, "--set-aside", str(aside), "--stats", str(stats)]
    assert main(["run", rules(tmp_path), "--input", bad[0], good, *bad[1:], *options]) == 2
    out, err = capsys.readouterr()
    assert out == FOUND
    assert [err.count(f"error[{code}]") for code in ("HF501", "HF504", "HF502")] == [3, 1, 1]
    assert err.endswith("1 record read, 5 inputs unreadable\n")
    written = [json.loads(line) for line in aside.read_text(encoding="utf-8").splitlines()]
    assert [(each["file"], each["line"], each["text"]) for each in written] == [(file, 0, "") for file in bad]
    assert all(each["reason"] for each in written)
    assert json.loads(stats.read_text(encoding="utf-8"))["unreadable"] == 5


def test_nothing_runs_if_no_input_can_be_read_or_an_input_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, *bad = inputs_of(tmp_path)
    run = ["run", rules(tmp_path), "--input"]
    for inputs, n_errors in (
        (bad, 5),
        ([good, str(tmp_path / "nowhere.txt"), bad[0]], 1),
        ([good, bad[0], "--strict"], 1),
    ):
        assert main([*run, *inputs]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("error[")) == ("", n_errors)
