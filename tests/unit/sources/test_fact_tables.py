"""Tables as background knowledge: the same facts from every form, on every engine."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.main import main
from holdsfor.columns.constant_columns import ConstantColumn
from holdsfor.errors import DataProblem, SetAsideWarning
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.sources.fact_tables import read_fact_table
from holdsfor.sources.inputs import read_facts

RULES = """
happensAt(long(V, L), T) :- happensAt(ping(V), T), vessel(V, Type, L), \\+ Type = none, L > 50.
happensAt(known(V), T) :- happensAt(ping(V), T), is_known(V).
is_known(V) :- vessel(V, _, _).
"""
ROWS: list[dict[str, Any]] = [
    {"id": 1, "type": "fishing", "length": 60.5},
    {"id": 2, "type": "it's", "length": 70},
    {"id": 3, "type": None, "length": 80},
    {"id": 4, "type": "tug", "length": None},
]
VESSEL = "vessel(id, type?, length)"
PINGS = [hf.Event("ping", i, at=i) for i in range(1, 6)]


def forms(folder: Path) -> list[Any]:
    """The rows as dictionaries, tables and files."""
    table = pa.Table.from_pylist([{**row, "length": row["length"] and float(row["length"])} for row in ROWS])
    lines, parquet, text = folder / "v.jsonl", folder / "v.parquet", folder / "v.csv"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    pq.write_table(table, parquet)
    cells = [[str("" if cell is None else cell) for cell in row.values()] for row in ROWS]
    text.write_text("id;type;length\n" + "".join(";".join(row) + "\n" for row in cells), encoding="utf-8")
    return [ROWS, table, pd.DataFrame(ROWS), str(lines), parquet, str(text)]


def answer(rules: Compiled, **options: Any) -> list[tuple[str, int]]:
    found = hf.recognise(rules, PINGS, **options)
    return sorted((name.replace(".0)", ")"), start) for _, name, start, _ in found.rows())


def test_every_form_has_the_same_facts(tmp_path: Path) -> None:
    expected = [("known(1)", 1), ("known(2)", 2), ("known(3)", 3), ("long(1,60.5)", 1), ("long(2,70)", 2)]
    for data in forms(tmp_path):
        with pytest.warns(SetAsideWarning, match="1 of 4 rows are no facts of `vessel/3`: 1 × `length` is null"):
            rules = hf.load_text(RULES).with_facts(data, VESSEL)
        assert answer(rules) == expected
        assert all(isinstance(column, ConstantColumn) for column in rules.programs[-1].tables[0].columns)


def test_the_reference_and_workers_have_the_same_facts(tmp_path: Path) -> None:
    from holdsfor.reference import History, RunBounds, recognise

    rules = hf.load_text(RULES).with_facts(ROWS, VESSEL)
    carrier = pickle.loads(pickle.dumps(Rules.of(rules).carrier))
    again = Rules("another process", (), carrier).compiled()
    assert answer(again) == answer(rules)
    history = History()
    for fact in read_facts([PINGS], rules.names, 1).facts():
        history.add_event(fact.entity, fact.start)
    found = recognise(rules, history, RunBounds(1, 5))
    assert sum(map(len, found.times.values())) == len(answer(rules))


def test_facts_are_an_option_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "e.txt").write_text("ping|1|1|1\nping|2|2|9\n", encoding="utf-8")
    (tmp_path / "v.csv").write_text("id,type,length\n1,tug,60\n2,tug,\n", encoding="utf-8")
    (tmp_path / "run.toml").write_text(
        f'rules = "r.prolog"\ninput = "e.txt"\nfacts = "v.csv: {VESSEL}"\n', encoding="utf-8"
    )
    assert main(["run", "--config", str(tmp_path / "run.toml"), "--jobs", "2"]) == 0
    out, err = capsys.readouterr()
    assert "happensAt(long(1,60), [1])." in out
    assert "warning[HF321]: 1 of 2 rows are no facts of `vessel/3`: 1 × `length` is null" in err


@pytest.mark.parametrize(
    ("data", "description", "message"),
    [
        ([{"id": 1}], "vessel(idd)", "`idd` is null"),
        (pa.table({"id": [1]}), "vessel(idd)", r"column `idd` not found in `table`[\s\S]*did you mean `id`"),
        (pa.table({"id": [[1]]}), "vessel(id)", "found list"),
        ([1], "vessel(id)", "expected a dictionary as row 1"),
        (3, "vessel(id)", "expected a file, a table or a list of dictionaries, found `int`"),
        ([{"id": 1}], "vessel", "expected a predicate with columns"),
        ([{"id": 1}], "vessel(f(id))", "expected the name of a column"),
        ("nowhere.csv", "vessel(id)", "`nowhere.csv` not found"),
    ],
)
def test_wrong_facts_are_an_error(data: Any, description: str, message: str) -> None:
    with pytest.raises(DataProblem, match=message):
        read_fact_table(data, description)


def test_a_row_that_does_not_fit_is_left_out_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "v.csv"
    file.write_text("id,n\n1,2\n3\n4,f(a)\n5,x\n", encoding="utf-8")
    found = read_fact_table(file, "v(id, n:term)")
    assert [first.line for _, first in found.left_out.groups.values()] == [3, 4]
    assert len(found.table) == 2


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_line_that_is_not_utf8_is_left_out(tmp_path: Path, suffix: str) -> None:
    lines = [b"id,n", b"1,\xff", b"2,b"] if suffix == "csv" else [b'{"id": 2, "n": "b"}', b'{"id": 1, "n": "\xff"}']
    (tmp_path / f"v.{suffix}").write_bytes(b"\n".join(lines) + b"\n")
    found = read_fact_table(tmp_path / f"v.{suffix}", "v(id, n)")
    assert [first.line for _, first in found.left_out.groups.values()] == [2]
    assert (len(found.table), found.n_rows) == (1, 2)


def test_a_text_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_bytes(b"\xff,n\n1,2\n")
    with pytest.raises(DataProblem, match="is not UTF-8 text"):
        read_fact_table(tmp_path / "v.csv", "v(n)")
