"""Docstrings, comments, messages, names and documents avoid the words that make a sentence a riddle.

Names are those of functions and classes, read as words. In tests, other string literals are data and are not checked.
`python -m tests.docs.test_prose src/holdsfor/kernels` lists the findings below a folder.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "holdsfor"

AVOIDED = {
    r"told|tells?|telling": "name the action: computed, written, passed, printed, distinguished",
    r"(?:some|any|no|every)(?:body|one)": "name the subject: the caller, the user, a worker, no rule",
    r"who|whom|whoever|whomever": "code is not a person: name the subject, or write `that`",
    r"whatever|what (?:is|are|was|were|has|have|it|they)": "name the thing: the rows that are …, the result of …",
    r"(?<!there )(?:is|are|was|be) (?-i:none)": "say what is missing: `there is no …`, `is not a …`, `is empty`",
    r"at hand": "available, loaded, colocated",
    r"(?:go|goes|going|went) along": "name the movement: follows, is sent with, is routed by",
    r"lie|lies|lay|lain": "a time-point is in an interval, a row precedes a row, a file is in a folder",
    r"believes?|believed|wants?|cares?|minds?|speaks?|spoken|hears?|heard": "code has no mind",
    r"knows?|knew|forgets?|remembers?": "say where a value is stored: the table has, the session keeps",
    r"is over|are over": "has ended, ended before",
    r"taken back|takes? back|taking back": "retracted, retracts",
    r"found out|find out|finds out": "compute, recompute, detect",
    r"circles?|circular": "cycle, recursive",
    r"fates?": "outcome",
}
RULES = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), reason) for words, reason in AVOIDED.items()]
ANY_RULE = re.compile(rf"\b(?:{'|'.join(AVOIDED)})\b", re.IGNORECASE)
PARTS_OF_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])|_")

Passage = tuple[int, str]
"""The number of a first line and the text that begins there."""


def passages_of_source(text: str, *, is_test: bool = False) -> Iterator[Passage]:
    """The comments, names and string literals of a module, f-strings included; of a test, docstrings only."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, PARTS_OF_NAME.sub(" ", node.name).replace("none", "None")
        literal = node.value if isinstance(node, ast.Expr) and is_test else None if is_test else node
        if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
            yield literal.lineno, re.sub(r"^\s*(>>>|\.\.\. ).*", "", literal.value, flags=re.MULTILINE)


def passages_of_document(text: str) -> Iterator[Passage]:
    """The lines of a document outside blocks of code."""
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, line


def findings(path: Path) -> Iterator[str]:
    """The avoided words of a file outside backticks, each with its line and what to write instead."""
    text = path.read_text(encoding="utf-8")
    if not any(map(ANY_RULE.search, (text, PARTS_OF_NAME.sub(" ", text)))):
        return
    is_test = path.is_relative_to(ROOT / "tests")
    passages = passages_of_source(text, is_test=is_test) if path.suffix == ".py" else passages_of_document(text)
    for first, passage in passages:
        prose = re.sub(r"`[^`]*`", lambda code: re.sub(r"[^\n]", "`", code.group()), passage)
        for rule, reason in RULES:
            for match in rule.finditer(prose):
                line = first + prose.count("\n", 0, match.start())
                yield f"{path.relative_to(ROOT)}:{line}: {match.group()!r}: {reason}"


def files_below(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted([*path.rglob("*.py"), *path.rglob("*.md")])


PLACES = {
    **{path.name: path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()},
    **{name: ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "benchmarks")},
    **{f"docs/{path.name}": path for path in (ROOT / "docs").rglob("*.md")},
    **{f"tests/{path.name}": path for path in (ROOT / "tests").iterdir() if path.is_dir() or path.suffix == ".py"},
}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_prose_avoids_the_words(place: str) -> None:
    checked = [path for path in files_below(PLACES[place]) if path != Path(__file__)]
    assert [finding for path in checked for finding in findings(path)] == []


def test_findings_are_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    text = '"""First.\n\nNobody reads `tell()`.\n"""\n\nx = f"{1} is told"  # at hand\n\n\ndef is_over(): ...\n'
    module, test = tmp_path / "module.py", tmp_path / "tests" / "test.py"
    test.parent.mkdir()
    for path in (module, test):
        path.write_text(text, encoding="utf-8")
    expected = [(3, "'Nobody'"), (6, "'at hand'"), (6, "'told'"), (9, "'is over'")]
    placed = sorted(finding.split(": ")[:2] for finding in findings(module))
    assert placed == [[f"module.py:{line}", word] for line, word in expected]
    placed = sorted(finding.split(": ")[:2] for finding in findings(test))
    assert placed == [[f"tests/test.py:{line}", word] for line, word in expected if word != "'told'"]


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        for each in files_below(Path(folder).resolve()):
            print(*findings(each), sep="\n", end="\n" if list(findings(each)) else "")
