"""The contracted dependency graphs: what Definitions 12 and 13 of the paper on delayed effects make of small graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.cli.graph import contracted_drawing
from holdsfor.cli.main import main

RULES = """
initiatedAt(quote(X)=true, T) :- happensAt(offer(X), T).
fi(quote(X)=true, quote(X)=expiring, 5).
fi(quote(X)=expiring, quote(X)=false, 3).
initiatedAt(contract(X)=true, T) :- happensAt(sign(X), T), holdsAt(quote(X)=true, T), not holdsAt(suspended(X)=true, T).
fi(contract(X)=true, contract(X)=false, 9).
initiatedAt(suspended(X)=true, T) :- happensAt(end(contract(X)=true), T).
holdsFor(power(X)=true, I) :- holdsFor(quote(X)=true, I1), holdsFor(suspended(X)=true, I2),
    relative_complement_all(I1, [I2], I).
"""

TEXT = """\
f-contracted
  W1  {quote(_)=true, quote(_)=expiring, quote(_)=false}
  W2  {contract(_)=true, contract(_)=false}
  W3  {suspended(_)=true}
  W4  {power(_)=true}
  W1 -> W2
  W1 -> W4
  W2 -> W3
  W3 -> W2
  W3 -> W4
contracted
  S1  level 1  {W1}
  S2  level 2  {W2, W3}  cyclic
  S3  level 3  {W4}
  S1 -> S2
  S1 -> S3
  S2 -> S3
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.prolog"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def test_delays_are_contracted_before_cycles(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", rules, "--contracted"]) == 0
    assert capsys.readouterr().out == TEXT


def test_the_input_may_be_shown(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", rules, "--contracted", "--include-input"]) == 0
    out = capsys.readouterr().out
    assert "  W1  {offer(_)}\n" in out
    assert "  S1  level 0  {W1}\n" in out


def test_a_picture_has_the_groups_as_vertices_and_the_components_as_boxes() -> None:
    drawn = contracted_drawing(compile_text(RULES), include_input=False)
    assert drawn.vertices[0].label.split("\n") == [
        "quote(_)=true",
        "quote(_)=expiring",
        "quote(_)=false",
    ]
    boxes = [[vertex.id for vertex in component] for level in drawn.levels for component in drawn.components_at(level)]
    assert boxes == [["W1"], ["W2", "W3"], ["W4"]]
    assert [(edge.source, edge.target) for edge in drawn.edges][:2] == [("W1", "W2"), ("W1", "W4")]


@pytest.mark.parametrize(("suffix", "start"), [(".dot", "digraph"), (".mmd", "flowchart")])
def test_the_contraction_can_be_written_as_text_for_other_programs(
    rules: str, tmp_path: Path, suffix: str, start: str
) -> None:
    assert main(["graph", rules, "--contracted", "-o", str(tmp_path / f"graph{suffix}")]) == 0
    assert (tmp_path / f"graph{suffix}").read_text(encoding="utf-8").startswith(start)


def test_without_a_picture_the_graph_is_written_as_text(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", rules]) == 0
    out = capsys.readouterr().out
    assert out.startswith("vertices\n  quote(_)=true  simple\n")
    assert "quote(_)=true -> contract(_)=true" in out
    assert "offer" not in out
