"""The commands and queries of the page on real data, in their order: results join with the files they come from."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.docs.console import ROOT

_SECTION = re.compile(r"^## (\w[\w ]*)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^```(console|sql)\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
_PAGE = (ROOT / "docs" / "data-sets.md").read_text(encoding="utf-8")
_SECTIONS = [(match[1], _BLOCK.findall(match[2])) for match in _SECTION.finditer(_PAGE)]


def _rows(query: str) -> str:
    """The rows of a query, with `|` between columns."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        found = connection.execute(query)
        names = "|".join(column[0] for column in found.description)
        return "\n".join([names, *("|".join(map(str, row)) for row in found.fetchall())]) + "\n"


def test_the_page_has_commands_for_three_data_sets() -> None:
    with_commands = [name for name, blocks in _SECTIONS if {"console", "sql"} <= {form for form, _, _ in blocks}]
    assert with_commands == ["Vessels", "Traffic fines", "Taxis"]


@pytest.mark.parametrize(("name", "blocks"), _SECTIONS, ids=[name for name, _ in _SECTIONS])
def test_results_of_a_command_join_with_the_data(
    name: str,
    blocks: list[tuple[str, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data"))
    if not (data / "bc-2018").is_dir():
        pytest.skip(f"no real data: {data} not found (set HOLDSFOR_DATA)")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    assert sum(content.count("\n") for _, content, _ in blocks) <= 10
    for form, content, output in blocks:
        text = content.replace("$HOLDSFOR_DATA", str(data))
        if form == "sql":
            found = _rows(text)
            assert not output or found == output
        else:
            assert main(shlex.split(text.removeprefix("$ "))[1:]) == 0, text
            assert capsys.readouterr().out == output
