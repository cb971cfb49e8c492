"""RTEC's compiler tests: holdsfor accepts their rules and sees the same kinds of events and fluents in them.

What RTEC's compiler writes is about RTEC's own engine. Two things of it have a meaning here: which entities are events,
simple and statically determined fluents, and that the adapter of the unit tests turns compiled clauses back into the
rules that they were compiled from.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdsfor.analysis.patterns import anonymous
from holdsfor.analysis.pipeline import Compiled, compile_files
from holdsfor.errors import AnalysisProblem, Diagnostics, SyntaxProblem
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Struct, Term, name_and_arity
from tests.rtec.differences import REFUSED
from tests.rtec.examples import compile_by_rtec
from tests.rtec.peer import HERE, prolog, rtec

TESTS = (
    *("caviar/test_1", "caviar/test_2", "ctm/test_1", "ctm/test_2", "cycles/test_1", "duration/test_1"),
    *("duration/test_2", "findall/test_1", "findall/test_2", "holds_for/test_1", "holds_for/test_2", "maritime/test_1"),
    *("negotiation/test_1", "simple_fluents/test_1", "simple_fluents/test_2", "simple_fluents/test_3"),
    *("simple_fluents/test_4", "simple_fluents/test_5", "voting/test_1"),
)
ACCEPTED = [name for name in TESTS if name not in REFUSED]

Names = dict[str, set[tuple[str, int]]]


def source_of(name: str) -> Path:
    return rtec("unit-tests", "compiler-tests", "tests", *name.split("/"), "rules.prolog")


def test_rules_are_accepted_or_refused_for_a_reason(count: Callable[[str, int, int], None]) -> None:
    refused = set()
    for name in TESTS:
        try:
            compile_files([source_of(name)])
        except (AnalysisProblem, SyntaxProblem):
            refused.add(name)
    assert refused == set(REFUSED)
    count("compiler tests", len(TESTS), len(REFUSED))


@pytest.mark.parametrize("name", ACCEPTED)
def test_events_and_fluents_are_of_the_kind_that_rtec_says(name: str, tmp_path: Path) -> None:
    compiled = compile_by_rtec(source_of(name).read_text(encoding="utf-8"), tmp_path)
    names = compile_files([source_of(name)]).names
    ours = {"simple": names.simple, "static": names.static, "event": names.output_events}
    assert _kinds(compiled) == {kind: set(map(_key, patterns)) for kind, patterns in ours.items()}


@pytest.mark.parametrize("name", ACCEPTED)
def test_compiled_clauses_turn_back_into_the_rules(name: str, tmp_path: Path) -> None:
    compiled = compile_by_rtec(source_of(name).read_text(encoding="utf-8"), tmp_path)
    back = tmp_path / "back.prolog"
    back.write_text(prolog(HERE / "source_rules.prolog", str(compiled), folder=tmp_path), encoding="utf-8")
    assert _components(compile_files([back])) == _components(compile_files([source_of(name)]))


@pytest.mark.parametrize("app", ["toy", "ctm", "voting", "netbill", "maritime", "caviar"])
def test_compiled_clauses_of_rtec_are_refused_with_one_message(app: str) -> None:
    with pytest.raises(SyntaxProblem) as refused:
        compile_files([rtec("examples", app, "resources", "patterns", "compiled_rules.prolog")])
    assert [each.code for each in refused.value.diagnostics if each.severity == "error"] == ["HF217"]


def _kinds(compiled: Path) -> Names:
    """The output entities of a compiled event description, by kind."""
    found: Names = {"simple": set(), "static": set(), "event": set()}
    inputs = set()
    kinds = {"simpleFluent": "simple", "sDFluent": "static", "event": "event"}
    program = parse_program(Source("compiled", compiled.read_text(encoding="utf-8")), Diagnostics())
    for head in (clause.head for clause in program.clauses if clause.body is None):
        if isinstance(head, Struct) and head.name in kinds:
            found[kinds[head.name]].add(_key(head.args[0]))
        elif isinstance(head, Struct) and head.name == "inputEntity":
            inputs.add(_key(head.args[0]))
    return {kind: names - inputs for kind, names in found.items()}


def _key(pattern: Term) -> tuple[str, int]:
    named = pattern.args[0] if isinstance(pattern, Struct) and pattern.name == "=" else pattern
    assert isinstance(named, Struct | Atom)
    return name_and_arity(named)


def _components(compiled: Compiled) -> set[frozenset[str]]:
    """The components of the dependency graph."""
    return {
        frozenset(show(anonymous(vertex.pattern)) for vertex in component.vertices)
        for component in compiled.levels.components
    }
