"""Declarations with bodies, leftovers of older versions, and files without clauses."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import Compiled, compile_files, compile_text
from holdsfor.errors import AnalysisProblem, Diagnostics
from holdsfor.syntax.printer import show

USED = "happensAt(o(X), T) :- happensAt(start(f(X)=true), T). "


def shapes(compiled: Compiled) -> list[tuple[str, str]]:
    return [(show(pattern), shape) for pattern, shape in compiled.names.declared_inputs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("buildFromPoints(_) :- fail.", []),
        ("points(f(_)=true) :- false.", []),
        ("points(f(_)=true) :- 1 > 2.", []),
        ("points(f(_)=true) :- true.", [("f(_)=true", "points")]),
        (
            "collectIntervals(f(X)=true) :- small(X). small(a). small(b).",
            [("f(a)=true", "intervals"), ("f(b)=true", "intervals")],
        ),
        ("collectIntervals(f(_)=true) :- \\+ small(c). small(a).", [("f(_)=true", "intervals")]),
        ("collectIntervals(f(_)=true). collectIntervals(_) :- fail.", [("f(_)=true", "intervals")]),
    ],
)
def test_a_declaration_with_a_body_declares_every_answer(text: str, expected: list[tuple[str, str]]) -> None:
    assert shapes(compile_text(USED + text)) == expected


def test_other_declarations_have_bodies_too() -> None:
    compiled = compile_text(
        USED + "dynamicDomain(d(_)) :- fail. dynamicDomain(e(_)) :- true. index(o(X), X) :- fail. "
        "collectGrounds([o(X)], d(X)) :- fail. collectGrounds([o(X)], e(X)) :- true."
    )
    assert [show(domain) for domain in compiled.description.dynamic_domains] == ["e(_)"]
    assert [show(collected.domain) for collected in compiled.description.collected] == ["e(X)"]
    assert compiled.description.indices == []


def test_a_body_about_time_is_refused() -> None:
    with pytest.raises(AnalysisProblem, match="HF204"):
        compile_text(USED + "points(f(X)=true) :- happensAt(e(X), T).")


def test_a_body_that_cannot_be_proved_is_an_error() -> None:
    with pytest.raises(AnalysisProblem, match="HF60"):
        compile_text(USED + "points(f(_)=true) :- X > 2.")


@pytest.mark.parametrize("leftover", ["needsGrounding(_, _, _) :- fail.", "inputEntity(e(_)).", "sDFluent(f(_)=true)."])
def test_leftovers_of_older_versions_are_noted_and_ignored(leftover: str) -> None:
    diagnostics = Diagnostics()
    compile_text(USED + leftover, diagnostics=diagnostics)
    assert any(each.code == "HF392" for each in diagnostics)


@pytest.mark.parametrize("text", ["", "\n \n", "% nothing\n", "/* nothing */"])
def test_a_file_without_clauses_is_noted(tmp_path: Path, text: str) -> None:
    empty, rules = tmp_path / "empty.prolog", tmp_path / "rules.prolog"
    empty.write_text(text, encoding="utf-8")
    rules.write_text(USED, encoding="utf-8")
    diagnostics = Diagnostics()
    compiled = compile_files([rules, empty], diagnostics)
    assert len(compiled.description.point_rules) == 1
    assert [each.code for each in diagnostics if each.code != "HF301"] == ["HF393"]
